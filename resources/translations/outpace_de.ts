<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name></name>
    <message>
        <source>Temperature</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>0 always takes the most likely token.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only the k most likely tokens.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Top-p</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only the likeliest tokens that share p.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Min-p</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only tokens with p times the best.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Repeat penalty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens said already.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Presence penalty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Once for a token said.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Frequency penalty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For each time it was said.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The same seed gives the same text.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Actions</name>
    <message>
        <source>Change this message and ask again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Version {0} of {1}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With a new seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With the same seed, {0}: the same text</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AnswerFigures</name>
    <message>
        <source>Where the time went</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Accepted by position</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>accepted of verified</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tokens per pass</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>speed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gain</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>first token after</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>prompt tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of them from the cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>check</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>choose</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>other</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>estimated</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Badge</name>
    <message>
        <source>Speculation off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speculation: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>active</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>idle</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unavailable</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>BadgeDetails</name>
    <message>
        <source>Speculation details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drafter: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drafter: {0}, lookahead {1}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Target: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft model: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>BannerView</name>
    <message>
        <source>Dismiss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restart the engine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retry without speculation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave out the oldest messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Body</name>
    <message>
        <source>Copy message</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Branches</name>
    <message>
        <source>Changing an earlier message: the chat goes on from there.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CatalogueView</name>
    <message>
        <source>Recommended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs on your accelerator</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs well here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fits into main memory, but is slow without an accelerator</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Needs more memory than is free here</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChatDelegate</name>
    <message>
        <source>Name of the chat</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChatRows</name>
    <message>
        <source>Chats</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChatsModel</name>
    <message>
        <source>pinned</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChatsPresenter</name>
    <message>
        <source>Export the chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Markdown, for reading (*.md)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>JSON, to import again (*.json)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import a chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chats exported by Outpace (*.json)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask anythingN{HORIZONTAL ELLIPSIS}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model is loaded. Open a GGUF file first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model is loading. You can write already; Esc stops it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading your messageN{HORIZONTAL ELLIPSIS}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answering. Esc stops.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>StoppingN{HORIZONTAL ELLIPSIS}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The engine is not running. Restart it to go on; your text stays here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter sends, Shift+Enter starts a new line</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ConversationList</name>
    <message>
        <source>Chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import a chatN{HORIZONTAL ELLIPSIS}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chat deleted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deleted: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No chat has these words.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your chats will be listed here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ExportN{HORIZONTAL ELLIPSIS}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DetailsPane</name>
    <message>
        <source>Comparing vocabulariesN{HORIZONTAL ELLIPSIS}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Download</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>DeleteN{HORIZONTAL ELLIPSIS}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model is chosen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drafts for {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model here can draft for it, but {0} would.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Download the one that fits ({0})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load pair</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use as draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use no draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It belongs to another program, or to Outpace itself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is loaded right now: load another model first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in use</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only text that repeats is drafted then.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No draft model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} measured</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DownloadControls</name>
    <message>
        <source>Pause</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resume</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SettingsN{HORIZONTAL ELLIPSIS}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter a tokenN{HORIZONTAL ELLIPSIS}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove from list</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DownloadsTab</name>
    <message>
        <source>Nothing is being downloaded. Downloads go on when you close Outpace and start it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Get models</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>EmptyLibrary</name>
    <message>
        <source>Only the demonstration pair is here. This pair of models suits your computer: a large one that answers, and a small one that drafts for it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All pairs and search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a folder with modelsN{HORIZONTAL ELLIPSIS}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No models yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A GGUF file can also be dropped here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the Hugging Face cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>LM Studio</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use the models of {0}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Footer</name>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the whole message as the model wrote it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy message</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>GetTab</name>
    <message>
        <source>Search the hub, or paste a repository&apos;s name or address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search the hub</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Offline mode is on: nothing can be searched or downloaded.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SettingsN{HORIZONTAL ELLIPSIS}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>HubView</name>
    <message>
        <source>Back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Repositories</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models of this repository</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Download</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Downloads the chosen model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking for {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was found for {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Found for {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only repositories with GGUF files are searched. Try fewer words, or owner/model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This repository has no GGUF model. Another one may have: search for its name and GGUF.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>licence {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>licence not named</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its terms have to be accepted first, and a token is needed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show download</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In your library</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Download ({0})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>needs a token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} downloads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in your library</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>more than is free</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} files</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ImportStrip</name>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy into the models folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use it where it is</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add {0} and {1} more to your models?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add {0} to your models?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A copy needs room on the disk and does not depend on the original. Used where it is, it needs none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, {0} more to come</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Adding {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LastAnswerSection</name>
    <message>
        <source>Last answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use this seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No answer yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>seed {0}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Legend</name>
    <message>
        <source>Where these tokens came from is not known.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens by source: {0}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LibraryTab</name>
    <message>
        <source>Filter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models on this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading models: {0} of {1}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drafts for the model above.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model has all of these words.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No models.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Looks</name>
    <message>
        <source>Outpace speaks this language from the next start.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Drop to open this model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GGUF models (*.gguf)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MemoryBar</name>
    <message>
        <source>needs {0}, {1} free</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MemoryView</name>
    <message>
        <source>Main memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Accelerator memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Main memory: {0} of {1} free</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Main memory: {0}; how much is free is not known</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Accelerator: {0} of {1} free</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory: it does not fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory: it does not fit as it is. It would fit like this:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory: it fits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Target&apos;s cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft&apos;s cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Work buffers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Program</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MessageView</name>
    <message>
        <source>Answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your message</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelButton</name>
    <message>
        <source>No model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open GGUF fileN{HORIZONTAL ELLIPSIS}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Demo pair</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All models</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelSection</name>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open GGUF fileN{HORIZONTAL ELLIPSIS}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>auto</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context length</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Threads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens the model can look back on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layers of the target on the GPU; auto is all that fit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Auto is one for each physical core.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Apply and reload</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} of {1} tokens of context</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} in memory, {1} threads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} of {1} layers on the GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No chat template in the file; a plain one is used.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>Back to the chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Parts of the page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Library</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Get models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folders and access</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop to add to your models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelsPresenter</name>
    <message>
        <source>{0} is deleted; {1} are free again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete a model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete {0}?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} become free: {1}. This cannot be undone, but the model can be downloaded again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a folder with models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Download models to</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PairCard</name>
    <message>
        <source>Draft model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Download pair</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking it upN{HORIZONTAL ELLIPSIS}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Download</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in your library</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>best for this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>more than is free here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>drafts from the text so far</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft model for {0}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Presenter</name>
    <message>
        <source>LoadingN{HORIZONTAL ELLIPSIS}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading the draft model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading your message: {0} of {1} tokens. Esc stops.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The last answer is copied.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a GGUF model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a draft model</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SamplingSection</name>
    <message>
        <source>Sampling</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>random</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset to defaults</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SetupTab</name>
    <message>
        <source>Address of the hub</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use this address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Offline mode: never use the network</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paste a token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Access token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forget it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folders</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ChangeN{HORIZONTAL ELLIPSIS}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change the models folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the models folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Downloads go to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a folderN{HORIZONTAL ELLIPSIS}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Access to the hub</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Address of the hub, or of a mirror</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Access token, for models whose terms have to be accepted first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hugging Face cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>LM Studio</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Do not list {0} any more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Listed too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>List its models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>List the models of {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Found on this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A token is kept in {0}. It is never shown.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No token is kept. It would be kept in {0}.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ShortcutSheet</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shift+Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SidePanel</name>
    <message>
        <source>Side panel</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SpeculationSection</name>
    <message>
        <source>Speculation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drafter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Automatic lookahead</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lookahead</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lookahead in tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Minimum confidence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How many tokens are proposed in a round is found by measuring.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The draft model stops before a token it gives less probability than this.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ChooseN{HORIZONTAL ELLIPSIS}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a draft model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use no draft model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None chosen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A small model of the same family makes answers faster.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1/{0} of the target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>now {0} tokens</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TopBar</name>
    <message>
        <source>Chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Side panel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Menu</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show where tokens came from</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TranscriptView</name>
    <message>
        <source>Jump to latest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ViewMenu</name>
    <message>
        <source>As the system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>High contrast, light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>High contrast, dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Colours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>Open GGUF fileN{HORIZONTAL ELLIPSIS}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Get a model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model is loadingN{HORIZONTAL ELLIPSIS}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model is loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The demo pair is ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You can write your message already.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a GGUF file from this computer, or drop one onto this window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A tiny demonstration model ({0} parameters) with a smaller one that drafts for it. It has learnt Python&apos;s documentation, JSON, tables and lists: enough to show how speculation saves time, and no assistant. For real answers, get a model that fits this computer, or open a GGUF file of your own.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drafts come from {0}. What is said is always the large model&apos;s own text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No draft model is chosen. A small model of the same family can make answers faster.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>answer</name>
    <message>
        <source>without a description</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>[image: {0}]</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>draft model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>n-gram</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>heads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>corrected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>first token {0} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prompt: {0} tokens, {1} of them from the cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer: {0} tokens in {1} passes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Accepted: {0} of {1} verified, {2} proposed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seed: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The answer failed and nobody said why. Try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The answer was interrupted. What came before it is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer finished.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model ended its answer without a word.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ended at a stop text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stopped at the token limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stopped: the context is full</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stopped by you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>speculation off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing drafted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>speculation paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>speculation unavailable</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>badge</name>
    <message>
        <source>off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>n-gram</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>draft model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>prediction heads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>draft model + n-gram</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unavailable</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} tok/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} accepted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>estimated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speculation off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>n-gram only: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no token was proposed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing drafted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unavailable</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lookahead: {0}, automatic</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lookahead: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Accepted: {0} of {1} verified ({2}), {3} proposed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By position: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gain: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens per pass: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>verify</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sample</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>other</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>First token: {0} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Target: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft model: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drafter: {0}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>bootstrap</name>
    <message>
        <source>Something went wrong in the window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The chat goes on. If it happens again, restart Outpace and keep the details: they say where.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>catalogue</name>
    <message>
        <source>best for this computer</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>code</name>
    <message>
        <source>Copy this code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copied</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>drafters</name>
    <message>
        <source>Off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>N-gram</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prediction heads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft model + n-gram</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>drafts</name>
    <message>
        <source>No draft model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in use</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>hits</name>
    <message>
        <source>{0}, downloaded {1} times</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>library</name>
    <message>
        <source>Chat models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not chat models</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>offers</name>
    <message>
        <source>fits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>too large for this computer</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>shortcuts</name>
    <message>
        <source>New chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next chat in the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous chat in the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>List of chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop the answer or the load; close what is open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer the last question again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change the last question</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the last answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speculation on or off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lookahead: one token more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lookahead: one token less</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show where tokens came from</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Side panel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speculation details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a GGUF file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text in its normal size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
