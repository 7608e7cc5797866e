<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>AboutBox</name>
    <message>
        <source>About Outpace</source>
        <translation>Über Outpace</translation>
    </message>
    <message>
        <source>What Outpace is made of</source>
        <translation>Woraus Outpace besteht</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>Lizenz</translation>
    </message>
    <message>
        <source>What it is made of, and under which licences</source>
        <translation>Woraus es besteht, und unter welchen Lizenzen</translation>
    </message>
    <message>
        <source>Answers faster, and never changes what the model says. Apache License 2.0.</source>
        <translation>Antwortet schneller und ändert nie, was das Modell sagt. Apache-Lizenz 2.0.</translation>
    </message>
    <message>
        <source>Qt is used under the LGPL 3; its libraries can be replaced.</source>
        <translation>Qt wird unter der LGPL 3 benutzt; seine Bibliotheken lassen sich austauschen.</translation>
    </message>
    <message>
        <source>Copy versions</source>
        <translation>Versionen kopieren</translation>
    </message>
    <message>
        <source>Report a problem…</source>
        <translation>Problem melden …</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Its text is not at hand here; the name of the licence is in the list.</source>
        <translation>Ihr Text ist hier nicht zur Hand; der Name der Lizenz steht in der Liste.</translation>
    </message>
</context>
<context>
    <name>Actions</name>
    <message>
        <source>Change this message and ask again</source>
        <translation>Diese Nachricht ändern und neu fragen</translation>
    </message>
    <message>
        <source>Answer again</source>
        <translation>Neu antworten</translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation>Vorige Fassung</translation>
    </message>
    <message>
        <source>Next version</source>
        <translation>Nächste Fassung</translation>
    </message>
    <message>
        <source>Version {0} of {1}</source>
        <translation>Fassung {0} von {1}</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Let the answer go on where it ended</source>
        <translation>Die Antwort dort fortsetzen, wo sie endete</translation>
    </message>
    <message>
        <source>With a new seed</source>
        <translation>Mit neuem Seed</translation>
    </message>
    <message>
        <source>With the same seed, {0}: the same text</source>
        <translation>Mit demselben Seed, {0}: derselbe Text</translation>
    </message>
    <message>
        <source>Compare with and without speculation</source>
        <translation>Mit und ohne Spekulation vergleichen</translation>
    </message>
</context>
<context>
    <name>AnswerFigures</name>
    <message>
        <source>Where the time went</source>
        <translation>Wofür die Zeit verging</translation>
    </message>
    <message>
        <source>Accepted by position</source>
        <translation>Angenommen nach Position</translation>
    </message>
    <message>
        <source>accepted of verified</source>
        <translation>angenommen von geprüften</translation>
    </message>
    <message>
        <source>tokens per pass</source>
        <translation>Tokens je Durchgang</translation>
    </message>
    <message>
        <source>speed</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>gain</source>
        <translation>Gewinn</translation>
    </message>
    <message>
        <source>first token after</source>
        <translation>erstes Token nach</translation>
    </message>
    <message>
        <source>prompt tokens</source>
        <translation>Tokens der Eingabe</translation>
    </message>
    <message>
        <source>of them from the cache</source>
        <translation>davon aus dem Cache</translation>
    </message>
    <message>
        <source>draft</source>
        <translation>entwerfen</translation>
    </message>
    <message>
        <source>check</source>
        <translation>prüfen</translation>
    </message>
    <message>
        <source>choose</source>
        <translation>wählen</translation>
    </message>
    <message>
        <source>other</source>
        <translation>übrige</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>gemessen</translation>
    </message>
    <message>
        <source>estimated</source>
        <translation>geschätzt</translation>
    </message>
    <message>
        <source>accepted of proposed</source>
        <translation>angenommen von vorgeschlagenen</translation>
    </message>
</context>
<context>
    <name>AnswerSheet</name>
    <message>
        <source>About this answer</source>
        <translation>Über diese Antwort</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Drafter: {0}, lookahead {1}</source>
        <translation>Entwerfer: {0}, Vorausschau {1}</translation>
    </message>
    <message>
        <source>Drafter: {0}</source>
        <translation>Entwerfer: {0}</translation>
    </message>
    <message>
        <source>Seed: {0}</source>
        <translation>Seed: {0}</translation>
    </message>
    <message>
        <source>Which files made it is not known.</source>
        <translation>Welche Dateien sie gemacht haben, ist nicht bekannt.</translation>
    </message>
    <message>
        <source>Target: {0}</source>
        <translation>Zielmodell: {0}</translation>
    </message>
    <message>
        <source>Draft model: {0}</source>
        <translation>Entwurfsmodell: {0}</translation>
    </message>
</context>
<context>
    <name>Attaching</name>
    <message>
        <source>Attach text files</source>
        <translation>Textdateien anhängen</translation>
    </message>
    <message>
        <source>{0} is left out: at most {1} files fit one message.</source>
        <translation>{0} wird weggelassen: Höchstens {1} Dateien passen in eine Nachricht.</translation>
    </message>
    <message>
        <source>{0} is attached already.</source>
        <translation>{0} ist schon angehängt.</translation>
    </message>
</context>
<context>
    <name>AttachmentChips</name>
    <message>
        <source>{0} tokens</source>
        <translation>{0} Tokens</translation>
    </message>
    <message>
        <source>{0} token</source>
        <translation>{0} Token</translation>
    </message>
    <message>
        <source>counting…</source>
        <translation>wird gezählt …</translation>
    </message>
    <message>
        <source>Do not attach</source>
        <translation>Nicht anhängen</translation>
    </message>
    <message>
        <source>Do not attach {0}</source>
        <translation>{0} nicht anhängen</translation>
    </message>
</context>
<context>
    <name>Badge</name>
    <message>
        <source>Speculation off</source>
        <translation>Spekulation aus</translation>
    </message>
    <message>
        <source>Speculation: {0}</source>
        <translation>Spekulation: {0}</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>active</source>
        <translation>aktiv</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>untätig</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>pausiert</translation>
    </message>
    <message>
        <source>unavailable</source>
        <translation>nicht verfügbar</translation>
    </message>
</context>
<context>
    <name>BadgeDetails</name>
    <message>
        <source>Speculation details</source>
        <translation>Einzelheiten zur Spekulation</translation>
    </message>
    <message>
        <source>Drafter: {0}</source>
        <translation>Entwerfer: {0}</translation>
    </message>
    <message>
        <source>Drafter: {0}, lookahead {1}</source>
        <translation>Entwerfer: {0}, Vorausschau {1}</translation>
    </message>
    <message>
        <source>Target: {0}</source>
        <translation>Zielmodell: {0}</translation>
    </message>
    <message>
        <source>Draft model: {0}</source>
        <translation>Entwurfsmodell: {0}</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keines</translation>
    </message>
    <message>
        <source>{0} on {1}</source>
        <translation>{0} auf {1}</translation>
    </message>
</context>
<context>
    <name>BannerView</name>
    <message>
        <source>Dismiss</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>Restart the engine</source>
        <translation>Engine neu starten</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Noch einmal versuchen</translation>
    </message>
    <message>
        <source>Retry without speculation</source>
        <translation>Ohne Spekulation wiederholen</translation>
    </message>
    <message>
        <source>Leave out the oldest messages</source>
        <translation>Älteste Nachrichten weglassen</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>Use a plain dialogue</source>
        <translation>Einfachen Dialog verwenden</translation>
    </message>
    <message>
        <source>Load the models of this chat</source>
        <translation>Modelle dieses Chats laden</translation>
    </message>
    <message>
        <source>Report a problem…</source>
        <translation>Problem melden …</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>Einzelheiten kopieren</translation>
    </message>
</context>
<context>
    <name>Body</name>
    <message>
        <source>Copy message</source>
        <translation>Nachricht kopieren</translation>
    </message>
    <message>
        <source>Compare with and without speculation</source>
        <translation>Mit und ohne Spekulation vergleichen</translation>
    </message>
</context>
<context>
    <name>Branches</name>
    <message>
        <source>Changing an earlier message: the chat goes on from there.</source>
        <translation>Eine frühere Nachricht wird geändert: Der Chat geht von dort aus weiter.</translation>
    </message>
</context>
<context>
    <name>CatalogueView</name>
    <message>
        <source>Recommended</source>
        <translation>Empfohlen</translation>
    </message>
    <message>
        <source>Runs on your accelerator</source>
        <translation>Läuft auf Ihrem Beschleuniger</translation>
    </message>
    <message>
        <source>Runs well here</source>
        <translation>Läuft hier gut</translation>
    </message>
    <message>
        <source>Fits into main memory, but is slow without an accelerator</source>
        <translation>Passt in den Hauptspeicher, ist aber ohne Beschleuniger langsam</translation>
    </message>
    <message>
        <source>Needs more memory than is free here</source>
        <translation>Braucht mehr Speicher, als hier frei ist</translation>
    </message>
</context>
<context>
    <name>ChatDelegate</name>
    <message>
        <source>Name of the chat</source>
        <translation>Name des Chats</translation>
    </message>
</context>
<context>
    <name>ChatRows</name>
    <message>
        <source>Chats</source>
        <translation>Chats</translation>
    </message>
</context>
<context>
    <name>ChatSection</name>
    <message>
        <source>This chat</source>
        <translation>Dieser Chat</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>Systemprompt</translation>
    </message>
    <message>
        <source>How the model should answer. Leave it empty for its own way.</source>
        <translation>Wie das Modell antworten soll. Leer lassen für seine eigene Art.</translation>
    </message>
    <message>
        <source>When the context is full</source>
        <translation>Wenn der Kontext voll ist</translation>
    </message>
    <message>
        <source>Ask me</source>
        <translation>Mich fragen</translation>
    </message>
    <message>
        <source>Leave out the oldest messages</source>
        <translation>Älteste Nachrichten weglassen</translation>
    </message>
    <message>
        <source>Keep the first and the last ones</source>
        <translation>Die ersten und letzten behalten</translation>
    </message>
    <message>
        <source>Presets…</source>
        <translation>Vorgaben …</translation>
    </message>
    <message>
        <source>System prompt, sampling and speculation under a name</source>
        <translation>Systemprompt, Auswahl und Spekulation unter einem Namen</translation>
    </message>
    <message>
        <source>Save as a preset…</source>
        <translation>Als Vorgabe speichern …</translation>
    </message>
    <message>
        <source>Import a preset…</source>
        <translation>Vorgabe importieren …</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Begin new chats with this model like this</source>
        <translation>Neue Chats mit diesem Modell so beginnen</translation>
    </message>
    <message>
        <source>Begin new chats with this model like the last one</source>
        <translation>Neue Chats mit diesem Modell wie den letzten beginnen</translation>
    </message>
</context>
<context>
    <name>ChatSectionPresenter</name>
    <message>
        <source>Save as a preset</source>
        <translation>Als Vorgabe speichern</translation>
    </message>
    <message>
        <source>Name of the preset</source>
        <translation>Name der Vorgabe</translation>
    </message>
    <message>
        <source>Export the preset</source>
        <translation>Vorgabe exportieren</translation>
    </message>
    <message>
        <source>Presets (*.json)</source>
        <translation>Vorgaben (*.json)</translation>
    </message>
    <message>
        <source>Import a preset</source>
        <translation>Vorgabe importieren</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
</context>
<context>
    <name>ChatsModel</name>
    <message>
        <source>pinned</source>
        <translation>angeheftet</translation>
    </message>
</context>
<context>
    <name>ChatsPresenter</name>
    <message>
        <source>Export the chat</source>
        <translation>Chat exportieren</translation>
    </message>
    <message>
        <source>Markdown, for reading (*.md)</source>
        <translation>Markdown, zum Lesen (*.md)</translation>
    </message>
    <message>
        <source>JSON, to import again (*.json)</source>
        <translation>JSON, zum Wiederimportieren (*.json)</translation>
    </message>
    <message>
        <source>Import a chat</source>
        <translation>Chat importieren</translation>
    </message>
    <message>
        <source>Chats exported by Outpace (*.json)</source>
        <translation>Von Outpace exportierte Chats (*.json)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
</context>
<context>
    <name>CommandPalette</name>
    <message>
        <source>Commands</source>
        <translation>Befehle</translation>
    </message>
    <message>
        <source>Search commands</source>
        <translation>Befehle suchen</translation>
    </message>
    <message>
        <source>What do you want to do?</source>
        <translation>Was möchten Sie tun?</translation>
    </message>
    <message>
        <source>No command has these words.</source>
        <translation>Kein Befehl enthält diese Wörter.</translation>
    </message>
</context>
<context>
    <name>ComparePage</name>
    <message>
        <source>Kept comparisons</source>
        <translation>Aufbewahrte Vergleiche</translation>
    </message>
    <message>
        <source>Back to the chat</source>
        <translation>Zurück zum Chat</translation>
    </message>
    <message>
        <source>The same question, the same seed, with speculation off and on: from clean caches, one answer after the other, in changing order.</source>
        <translation>Dieselbe Frage, derselbe Seed, ohne und mit Spekulation: mit leeren Zwischenspeichern, eine Antwort nach der anderen, in wechselnder Reihenfolge.</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
</context>
<context>
    <name>ComparePresenter</name>
    <message>
        <source>A comparison is under way.</source>
        <translation>Ein Vergleich läuft schon.</translation>
    </message>
    <message>
        <source>Wait for it, or stop it.</source>
        <translation>Warten Sie darauf, oder brechen Sie ihn ab.</translation>
    </message>
    <message>
        <source>There is no question here that could be asked again.</source>
        <translation>Hier ist keine Frage, die noch einmal gestellt werden könnte.</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Wird abgebrochen …</translation>
    </message>
    <message>
        <source>Proving: answer {0} of {1}, {2}, {3} tokens so far</source>
        <translation>Beweis: Antwort {0} von {1}, {2}, bisher {3} Token</translation>
    </message>
    <message>
        <source>Answer {0} of {1}: {2}, {3} tokens so far</source>
        <translation>Antwort {0} von {1}: {2}, bisher {3} Token</translation>
    </message>
    <message>
        <source>Export the comparison</source>
        <translation>Vergleich exportieren</translation>
    </message>
    <message>
        <source>One JSON line (*.jsonl)</source>
        <translation>Eine JSON-Zeile (*.jsonl)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Message</source>
        <translation>Nachricht</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>No model is loaded. Open a GGUF file first.</source>
        <translation>Kein Modell ist geladen. Öffnen Sie zuerst eine GGUF-Datei.</translation>
    </message>
    <message>
        <source>The model is loading. You can write already; Esc stops it.</source>
        <translation>Das Modell wird geladen. Sie können schon schreiben; Esc bricht ab.</translation>
    </message>
    <message>
        <source>Answering. Esc stops.</source>
        <translation>Antwortet. Esc hält an.</translation>
    </message>
    <message>
        <source>Ask anything…</source>
        <translation>Fragen Sie etwas …</translation>
    </message>
    <message>
        <source>Attach text files</source>
        <translation>Textdateien anhängen</translation>
    </message>
    <message>
        <source>Reading your message…</source>
        <translation>Ihre Nachricht wird gelesen …</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Hält an …</translation>
    </message>
    <message>
        <source>The engine is not running. Restart it to go on; your text stays here.</source>
        <translation>Die Engine läuft nicht. Starten Sie sie neu, um fortzufahren; Ihr Text bleibt hier.</translation>
    </message>
    <message>
        <source>Ask again</source>
        <translation>Neu fragen</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Enter sends, Shift+Enter starts a new line</source>
        <translation>Eingabe sendet, Umschalt+Eingabe beginnt eine neue Zeile</translation>
    </message>
</context>
<context>
    <name>ConnectionForm</name>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>The box in the corner</source>
        <translation>Der Rechner in der Ecke</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>Kind of server</source>
        <translation>Art des Servers</translation>
    </message>
    <message>
        <source>Linked with</source>
        <translation>Verbunden mit</translation>
    </message>
    <message>
        <source>Name of the model there</source>
        <translation>Name des Modells dort</translation>
    </message>
    <message>
        <source>the same name</source>
        <translation>derselbe Name</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>Entwurfsmodell</translation>
    </message>
    <message>
        <source>its name in LM Studio</source>
        <translation>sein Name in LM Studio</translation>
    </message>
    <message>
        <source>Environment variable with the key</source>
        <translation>Umgebungsvariable mit dem Schlüssel</translation>
    </message>
    <message>
        <source>Certificate file (PEM)</source>
        <translation>Zertifikatsdatei (PEM)</translation>
    </message>
    <message>
        <source>as the system</source>
        <translation>wie das System</translation>
    </message>
    <message>
        <source>Longest wait for an answer to begin, in seconds</source>
        <translation>Längste Wartezeit auf den Beginn einer Antwort, in Sekunden</translation>
    </message>
    <message>
        <source>Longest pause within an answer, in seconds</source>
        <translation>Längste Pause in einer Antwort, in Sekunden</translation>
    </message>
    <message>
        <source>Save and test</source>
        <translation>Speichern und testen</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>The same model with the other position of the speculation switch is on</source>
        <translation>Dasselbe Modell mit der anderen Stellung des Spekulationsschalters ist auf</translation>
    </message>
    <message>
        <source>Key from the environment variable</source>
        <translation>Schlüssel aus der Umgebungsvariable</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keiner</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keines</translation>
    </message>
    <message>
        <source>unchanged</source>
        <translation>unverändert</translation>
    </message>
    <message>
        <source>It is kept in the keychain of this system, for this address only.</source>
        <translation>Er liegt im Schlüsselbund dieses Systems, nur für diese Adresse.</translation>
    </message>
    <message>
        <source>This system has no keychain: it is kept until Outpace ends, for this address only.</source>
        <translation>Dieses System hat keinen Schlüsselbund: Er wird behalten, bis Outpace endet, nur für diese Adresse.</translation>
    </message>
    <message>
        <source>Public and not encrypted: others can read chats and key.</source>
        <translation>Öffentlich und nicht verschlüsselt: Andere können Chats und Schlüssel lesen.</translation>
    </message>
</context>
<context>
    <name>ConnectionsPage</name>
    <message>
        <source>Back to the chat</source>
        <translation>Zurück zum Chat</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>Server</translation>
    </message>
    <message>
        <source>Add a server</source>
        <translation>Server hinzufügen</translation>
    </message>
    <message>
        <source>Connections</source>
        <translation>Verbindungen</translation>
    </message>
    <message>
        <source>A model on another machine answers in the same window. What you write to it leaves this machine; the badge names the server while you chat.</source>
        <translation>Ein Modell auf einer anderen Maschine antwortet im selben Fenster. Was Sie ihm schreiben, verlässt diese Maschine; das Abzeichen nennt den Server, während Sie chatten.</translation>
    </message>
    <message>
        <source>Looking at the server…</source>
        <translation>Der Server wird angesehen …</translation>
    </message>
    <message>
        <source>{0} is a public address without encryption.</source>
        <translation>{0} ist eine öffentliche Adresse ohne Verschlüsselung.</translation>
    </message>
    <message>
        <source>Anybody on the way can read your chats and the key. Use https:// if the server has it.</source>
        <translation>Jeder auf dem Weg kann Ihre Chats und den Schlüssel lesen. Verwenden Sie https://, wenn der Server es hat.</translation>
    </message>
    <message>
        <source>Send anyway</source>
        <translation>Trotzdem senden</translation>
    </message>
    <message>
        <source>Do not send</source>
        <translation>Nicht senden</translation>
    </message>
</context>
<context>
    <name>ContextMeter</name>
    <message>
        <source>{0} tokens too many</source>
        <translation>{0} Tokens zu viel</translation>
    </message>
    <message>
        <source>{0} tokens left</source>
        <translation>{0} Tokens übrig</translation>
    </message>
    <message>
        <source>{0} left</source>
        <translation>{0} übrig</translation>
    </message>
    <message>
        <source>{0} of {1} tokens of context</source>
        <translation>{0} von {1} Tokens Kontext</translation>
    </message>
    <message>
        <source>Chat so far: {0}</source>
        <translation>Chat bisher: {0}</translation>
    </message>
    <message>
        <source>This message: {0}</source>
        <translation>Diese Nachricht: {0}</translation>
    </message>
    <message>
        <source>Left for the answer: {0}</source>
        <translation>Übrig für die Antwort: {0}</translation>
    </message>
</context>
<context>
    <name>ConversationList</name>
    <message>
        <source>Chats</source>
        <translation>Chats</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>Search chats</source>
        <translation>Chats durchsuchen</translation>
    </message>
    <message>
        <source>Import a chat…</source>
        <translation>Chat importieren …</translation>
    </message>
    <message>
        <source>Chat deleted.</source>
        <translation>Chat gelöscht.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Deleted: {0}</source>
        <translation>Gelöscht: {0}</translation>
    </message>
    <message>
        <source>No chat has these words.</source>
        <translation>Kein Chat enthält diese Wörter.</translation>
    </message>
    <message>
        <source>Your chats will be listed here.</source>
        <translation>Hier werden Ihre Chats stehen.</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Lösen</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Anheften</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>Duplizieren</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportieren …</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
</context>
<context>
    <name>DetailsPane</name>
    <message>
        <source>Draft models</source>
        <translation>Entwurfsmodelle</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>Im Ordner zeigen</translation>
    </message>
    <message>
        <source>Comparing vocabularies…</source>
        <translation>Vokabulare werden verglichen …</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>Löschen …</translation>
    </message>
    <message>
        <source>No model is chosen</source>
        <translation>Kein Modell gewählt</translation>
    </message>
    <message>
        <source>Drafts for {0}</source>
        <translation>Entwürfe für {0}</translation>
    </message>
    <message>
        <source>No model here can draft for it, but {0} would.</source>
        <translation>Kein Modell hier kann dafür entwerfen, aber {0} könnte es.</translation>
    </message>
    <message>
        <source>Download the one that fits ({0})</source>
        <translation>Das passende herunterladen ({0})</translation>
    </message>
    <message>
        <source>Load pair</source>
        <translation>Paar laden</translation>
    </message>
    <message>
        <source>Use as draft</source>
        <translation>Als Entwurfsmodell verwenden</translation>
    </message>
    <message>
        <source>Use no draft</source>
        <translation>Kein Entwurfsmodell</translation>
    </message>
    <message>
        <source>Loaded</source>
        <translation>Geladen</translation>
    </message>
    <message>
        <source>It belongs to another program, or to Outpace itself.</source>
        <translation>Es gehört einem anderen Programm oder Outpace selbst.</translation>
    </message>
    <message>
        <source>It is loaded right now: load another model first.</source>
        <translation>Es ist gerade geladen: Laden Sie zuerst ein anderes Modell.</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>in Gebrauch</translation>
    </message>
    <message>
        <source>Its prediction heads draft then, and text that repeats.</source>
        <translation>Dann entwerfen seine Vorhersageköpfe und sich wiederholender Text.</translation>
    </message>
    <message>
        <source>Only text that repeats is drafted then.</source>
        <translation>Dann wird nur Text entworfen, der sich wiederholt.</translation>
    </message>
    <message>
        <source>No draft model</source>
        <translation>Kein Entwurfsmodell</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>passt</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>passt nicht</translation>
    </message>
    <message>
        <source>{0} measured</source>
        <translation>{0} gemessen</translation>
    </message>
</context>
<context>
    <name>DownloadControls</name>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Load now</source>
        <translation>Jetzt laden</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>Einstellungen …</translation>
    </message>
    <message>
        <source>Enter a token…</source>
        <translation>Token eingeben …</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Noch einmal versuchen</translation>
    </message>
    <message>
        <source>Remove from list</source>
        <translation>Aus der Liste entfernen</translation>
    </message>
</context>
<context>
    <name>DownloadsTab</name>
    <message>
        <source>Nothing is being downloaded. Downloads go on when you close Outpace and start it again.</source>
        <translation>Nichts wird heruntergeladen. Downloads gehen weiter, wenn Sie Outpace schließen und wieder starten.</translation>
    </message>
    <message>
        <source>Get models</source>
        <translation>Modelle holen</translation>
    </message>
</context>
<context>
    <name>EmptyLibrary</name>
    <message>
        <source>Only the demonstration pair is here. This pair of models suits your computer: a large one that answers, and a small one that drafts for it.</source>
        <translation>Nur das Vorführpaar ist da. Dieses Paar von Modellen passt zu Ihrem Computer: ein großes, das antwortet, und ein kleines, das für es entwirft.</translation>
    </message>
    <message>
        <source>All pairs and search</source>
        <translation>Alle Paare und Suche</translation>
    </message>
    <message>
        <source>Add a folder with models…</source>
        <translation>Ordner mit Modellen hinzufügen …</translation>
    </message>
    <message>
        <source>No models yet</source>
        <translation>Noch keine Modelle</translation>
    </message>
    <message>
        <source>A GGUF file can also be dropped here.</source>
        <translation>Eine GGUF-Datei kann auch hier abgelegt werden.</translation>
    </message>
    <message>
        <source>the Hugging Face cache</source>
        <translation>des Hugging-Face-Caches</translation>
    </message>
    <message>
        <source>LM Studio</source>
        <translation>von LM Studio</translation>
    </message>
    <message>
        <source>Use the models of {0}</source>
        <translation>Die Modelle {0} verwenden</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>Search in this chat</source>
        <translation>In diesem Chat suchen</translation>
    </message>
    <message>
        <source>Find before</source>
        <translation>Voriger Fund</translation>
    </message>
    <message>
        <source>Next find</source>
        <translation>Nächster Fund</translation>
    </message>
    <message>
        <source>Close the search</source>
        <translation>Suche schließen</translation>
    </message>
    <message>
        <source>not found</source>
        <translation>nicht gefunden</translation>
    </message>
    <message>
        <source>message {0} of {1}</source>
        <translation>Nachricht {0} von {1}</translation>
    </message>
</context>
<context>
    <name>Footer</name>
    <message>
        <source>Details: time, acceptance and files of this answer</source>
        <translation>Einzelheiten: Zeit, Annahme und Dateien dieser Antwort</translation>
    </message>
    <message>
        <source>Details of this answer</source>
        <translation>Einzelheiten dieser Antwort</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy the whole message as the model wrote it</source>
        <translation>Die ganze Nachricht so kopieren, wie das Modell sie schrieb</translation>
    </message>
    <message>
        <source>Copy message</source>
        <translation>Nachricht kopieren</translation>
    </message>
</context>
<context>
    <name>GetTab</name>
    <message>
        <source>Search the hub, or paste a repository&apos;s name or address</source>
        <translation>Den Hub durchsuchen, oder Namen oder Adresse eines Repositorys einfügen</translation>
    </message>
    <message>
        <source>Search the hub</source>
        <translation>Den Hub durchsuchen</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Offline mode is on: nothing can be searched or downloaded.</source>
        <translation>Der Offline-Modus ist an: Nichts kann gesucht oder heruntergeladen werden.</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>Einstellungen …</translation>
    </message>
</context>
<context>
    <name>HubView</name>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Noch einmal versuchen</translation>
    </message>
    <message>
        <source>Repositories</source>
        <translation>Repositorys</translation>
    </message>
    <message>
        <source>Models of this repository</source>
        <translation>Modelle dieses Repositorys</translation>
    </message>
    <message>
        <source>Show models</source>
        <translation>Modelle zeigen</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <source>Downloads the chosen model</source>
        <translation>Lädt das gewählte Modell herunter</translation>
    </message>
    <message>
        <source>With the draft that fits</source>
        <translation>Mit dem Entwurfsmodell, das passt</translation>
    </message>
    <message>
        <source>Looking for {0}</source>
        <translation>Sucht nach {0}</translation>
    </message>
    <message>
        <source>Nothing was found for {0}</source>
        <translation>Nichts gefunden für {0}</translation>
    </message>
    <message>
        <source>Found for {0}</source>
        <translation>Gefunden für {0}</translation>
    </message>
    <message>
        <source>Only repositories with GGUF files are searched. Try fewer words, or owner/model.</source>
        <translation>Nur Repositorys mit GGUF-Dateien werden durchsucht. Versuchen Sie weniger Wörter oder Eigentümer/Modell.</translation>
    </message>
    <message>
        <source>This repository has no GGUF model. Another one may have: search for its name and GGUF.</source>
        <translation>Dieses Repository hat kein GGUF-Modell. Ein anderes vielleicht: Suchen Sie nach seinem Namen und GGUF.</translation>
    </message>
    <message>
        <source>licence {0}</source>
        <translation>Lizenz {0}</translation>
    </message>
    <message>
        <source>licence not named</source>
        <translation>Lizenz nicht genannt</translation>
    </message>
    <message>
        <source>its terms have to be accepted first, and a token is needed</source>
        <translation>die Bedingungen müssen zuerst angenommen werden, und ein Token ist nötig</translation>
    </message>
    <message>
        <source>Show download</source>
        <translation>Download zeigen</translation>
    </message>
    <message>
        <source>In your library</source>
        <translation>In Ihrer Bibliothek</translation>
    </message>
    <message>
        <source>Download ({0})</source>
        <translation>Herunterladen ({0})</translation>
    </message>
    <message>
        <source>With the draft that fits: {0} ({1} more)</source>
        <translation>Mit dem passenden Entwurfsmodell: {0} ({1} mehr)</translation>
    </message>
    <message>
        <source>needs a token</source>
        <translation>braucht ein Token</translation>
    </message>
    <message>
        <source>{0} downloads</source>
        <translation>{0} Downloads</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>passt</translation>
    </message>
    <message>
        <source>in your library</source>
        <translation>in Ihrer Bibliothek</translation>
    </message>
    <message>
        <source>more than is free</source>
        <translation>mehr, als frei ist</translation>
    </message>
    <message>
        <source>{0} files</source>
        <translation>{0} Dateien</translation>
    </message>
</context>
<context>
    <name>ImportStrip</name>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy into the models folder</source>
        <translation>In den Modellordner kopieren</translation>
    </message>
    <message>
        <source>Use it where it is</source>
        <translation>Dort verwenden, wo es ist</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Add {0} and {1} more to your models?</source>
        <translation>{0} und {1} weitere zu Ihren Modellen hinzufügen?</translation>
    </message>
    <message>
        <source>Add {0} to your models?</source>
        <translation>{0} zu Ihren Modellen hinzufügen?</translation>
    </message>
    <message>
        <source>A copy needs room on the disk and does not depend on the original. Used where it is, it needs none.</source>
        <translation>Eine Kopie braucht Platz auf der Platte und hängt nicht vom Original ab. Dort verwendet, wo es ist, braucht es keinen.</translation>
    </message>
    <message>
        <source>, {0} more to come</source>
        <translation>, {0} kommen noch</translation>
    </message>
    <message>
        <source>Adding {0}</source>
        <translation>{0} wird hinzugefügt</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>{0} von {1}</translation>
    </message>
</context>
<context>
    <name>KeptList</name>
    <message>
        <source>Kept comparisons</source>
        <translation>Aufbewahrte Vergleiche</translation>
    </message>
    <message>
        <source>{0}, slower</source>
        <translation>{0}, langsamer</translation>
    </message>
    <message>
        <source>proven</source>
        <translation>bewiesen</translation>
    </message>
    <message>
        <source>proof failed</source>
        <translation>Beweis gescheitert</translation>
    </message>
</context>
<context>
    <name>Lane</name>
    <message>
        <source>Answer: {0}</source>
        <translation>Antwort: {0}</translation>
    </message>
    <message>
        <source>{0} s</source>
        <translation>{0} s</translation>
    </message>
</context>
<context>
    <name>LastAnswerSection</name>
    <message>
        <source>Last answer</source>
        <translation>Letzte Antwort</translation>
    </message>
    <message>
        <source>Use this seed</source>
        <translation>Diesen Seed verwenden</translation>
    </message>
    <message>
        <source>No answer yet.</source>
        <translation>Noch keine Antwort.</translation>
    </message>
    <message>
        <source>seed {0}</source>
        <translation>Seed {0}</translation>
    </message>
</context>
<context>
    <name>Legend</name>
    <message>
        <source>Where these tokens came from is not known.</source>
        <translation>Woher diese Tokens kamen, ist nicht bekannt.</translation>
    </message>
    <message>
        <source>Tokens by source: {0}</source>
        <translation>Tokens nach Herkunft: {0}</translation>
    </message>
</context>
<context>
    <name>LibraryTab</name>
    <message>
        <source>Filter</source>
        <translation>Filtern</translation>
    </message>
    <message>
        <source>Filter models</source>
        <translation>Modelle filtern</translation>
    </message>
    <message>
        <source>Models on this computer</source>
        <translation>Modelle auf diesem Computer</translation>
    </message>
    <message>
        <source>Reading models: {0} of {1}</source>
        <translation>Modelle werden gelesen: {0} von {1}</translation>
    </message>
    <message>
        <source>loaded</source>
        <translation>geladen</translation>
    </message>
    <message>
        <source>draft</source>
        <translation>entwerfen</translation>
    </message>
    <message>
        <source>No model has all of these words.</source>
        <translation>Kein Modell enthält alle diese Wörter.</translation>
    </message>
    <message>
        <source>No models.</source>
        <translation>Keine Modelle.</translation>
    </message>
</context>
<context>
    <name>Looks</name>
    <message>
        <source>Outpace speaks this language from the next start.</source>
        <translation>Outpace spricht diese Sprache ab dem nächsten Start.</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Drop to open this model</source>
        <translation>Ablegen, um dieses Modell zu öffnen</translation>
    </message>
    <message>
        <source>Drop to attach</source>
        <translation>Ablegen, um anzuhängen</translation>
    </message>
    <message>
        <source>GGUF models (*.gguf)</source>
        <translation>GGUF-Modelle (*.gguf)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
</context>
<context>
    <name>MemoryBar</name>
    <message>
        <source>needs {0}, {1} free</source>
        <translation>braucht {0}, {1} frei</translation>
    </message>
</context>
<context>
    <name>MemoryView</name>
    <message>
        <source>Main memory</source>
        <translation>Hauptspeicher</translation>
    </message>
    <message>
        <source>Accelerator memory</source>
        <translation>Speicher des Beschleunigers</translation>
    </message>
    <message>
        <source>Main memory: {0} of {1} free</source>
        <translation>Hauptspeicher: {0} von {1} frei</translation>
    </message>
    <message>
        <source>Main memory: {0}; how much is free is not known</source>
        <translation>Hauptspeicher: {0}; wie viel frei ist, ist nicht bekannt</translation>
    </message>
    <message>
        <source>Accelerator: {0} of {1} free</source>
        <translation>Beschleuniger: {0} von {1} frei</translation>
    </message>
    <message>
        <source>Memory: it does not fit</source>
        <translation>Speicher: Es passt nicht</translation>
    </message>
    <message>
        <source>Memory: it does not fit as it is. It would fit like this:</source>
        <translation>Speicher: So passt es nicht. So würde es passen:</translation>
    </message>
    <message>
        <source>Memory: it fits</source>
        <translation>Speicher: Es passt</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>Zielmodell</translation>
    </message>
    <message>
        <source>Target&apos;s cache</source>
        <translation>Cache des Zielmodells</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>Entwurfsmodell</translation>
    </message>
    <message>
        <source>Prediction heads</source>
        <translation>Vorhersageköpfe</translation>
    </message>
    <message>
        <source>Draft&apos;s cache</source>
        <translation>Cache des Entwurfsmodells</translation>
    </message>
    <message>
        <source>Work buffers</source>
        <translation>Arbeitspuffer</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
</context>
<context>
    <name>MessageView</name>
    <message>
        <source>Answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>Your message</source>
        <translation>Ihre Nachricht</translation>
    </message>
</context>
<context>
    <name>ModelButton</name>
    <message>
        <source>No model</source>
        <translation>Kein Modell</translation>
    </message>
    <message>
        <source>draft</source>
        <translation>entwerfen</translation>
    </message>
    <message>
        <source>Model: {0}</source>
        <translation>Modell: {0}</translation>
    </message>
    <message>
        <source>Open GGUF file…</source>
        <translation>GGUF-Datei öffnen …</translation>
    </message>
    <message>
        <source>Demo pair</source>
        <translation>Vorführpaar</translation>
    </message>
    <message>
        <source>All models</source>
        <translation>Alle Modelle</translation>
    </message>
    <message>
        <source>Connections to servers…</source>
        <translation>Verbindungen zu Servern …</translation>
    </message>
</context>
<context>
    <name>ModelSection</name>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Open GGUF file…</source>
        <translation>GGUF-Datei öffnen …</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>automatisch</translation>
    </message>
    <message>
        <source>Context length</source>
        <translation>Kontextlänge</translation>
    </message>
    <message>
        <source>GPU layers</source>
        <translation>GPU-Schichten</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>Tokens the model can look back on.</source>
        <translation>Tokens, auf die das Modell zurückblicken kann.</translation>
    </message>
    <message>
        <source>Layers of the target on the GPU; auto is all that fit.</source>
        <translation>Schichten des Zielmodells auf der GPU; automatisch sind alle, die passen.</translation>
    </message>
    <message>
        <source>Auto is one for each physical core.</source>
        <translation>Automatisch ist einer je physischem Kern.</translation>
    </message>
    <message>
        <source>Load prediction heads</source>
        <translation>Vorhersageköpfe laden</translation>
    </message>
    <message>
        <source>Prediction heads</source>
        <translation>Vorhersageköpfe</translation>
    </message>
    <message>
        <source>Heads inside the model that draft its answers. They are read with the model and take memory.</source>
        <translation>Köpfe im Modell, die seine Antworten entwerfen. Sie werden mit dem Modell gelesen und brauchen Speicher.</translation>
    </message>
    <message>
        <source>Use flash attention</source>
        <translation>Flash Attention verwenden</translation>
    </message>
    <message>
        <source>Flash attention</source>
        <translation>Flash Attention</translation>
    </message>
    <message>
        <source>Reads prompts faster and saves memory. On some processors long chats are faster without it.</source>
        <translation>Liest Fragen schneller und spart Speicher. Auf manchen Prozessoren sind lange Gespräche ohne sie schneller.</translation>
    </message>
    <message>
        <source>Apply and reload</source>
        <translation>Anwenden und neu laden</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>Kein Modell</translation>
    </message>
    <message>
        <source>{0} of {1} tokens of context</source>
        <translation>{0} von {1} Tokens Kontext</translation>
    </message>
    <message>
        <source>{0} in memory, {1} threads</source>
        <translation>{0} im Speicher, {1} Threads</translation>
    </message>
    <message>
        <source>{0} of {1} layers on the GPU</source>
        <translation>{0} von {1} Schichten auf der GPU</translation>
    </message>
    <message>
        <source>No chat template in the file; a plain one is used.</source>
        <translation>Keine Chatvorlage in der Datei; eine einfache wird verwendet.</translation>
    </message>
    <message>
        <source>The prediction heads take {0} of memory.</source>
        <translation>Die Vorhersageköpfe brauchen {0} Speicher.</translation>
    </message>
</context>
<context>
    <name>ModelsDoor</name>
    <message>
        <source>To fit into memory: {0}</source>
        <translation>Damit es in den Speicher passt: {0}</translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>Back to the chat</source>
        <translation>Zurück zum Chat</translation>
    </message>
    <message>
        <source>Parts of the page</source>
        <translation>Teile der Seite</translation>
    </message>
    <message>
        <source>Library</source>
        <translation>Bibliothek</translation>
    </message>
    <message>
        <source>Get models</source>
        <translation>Modelle holen</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>Downloads</translation>
    </message>
    <message>
        <source>Folders and access</source>
        <translation>Ordner und Zugang</translation>
    </message>
    <message>
        <source>Drop to add to your models</source>
        <translation>Ablegen, um es zu Ihren Modellen hinzuzufügen</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
</context>
<context>
    <name>ModelsPresenter</name>
    <message>
        <source>{0} is deleted; {1} are free again.</source>
        <translation>{0} ist gelöscht; {1} sind wieder frei.</translation>
    </message>
    <message>
        <source>Delete a model</source>
        <translation>Modell löschen</translation>
    </message>
    <message>
        <source>Delete {0}?</source>
        <translation>{0} löschen?</translation>
    </message>
    <message>
        <source>{0} files</source>
        <translation>{0} Dateien</translation>
    </message>
    <message>
        <source>{0} become free: {1}. This cannot be undone, but the model can be downloaded again.</source>
        <translation>{0} werden frei: {1}. Das lässt sich nicht rückgängig machen, aber das Modell kann wieder heruntergeladen werden.</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Add a folder with models</source>
        <translation>Ordner mit Modellen hinzufügen</translation>
    </message>
    <message>
        <source>Download models to</source>
        <translation>Modelle herunterladen nach</translation>
    </message>
</context>
<context>
    <name>Notifier</name>
    <message>
        <source>The answer failed</source>
        <translation>Die Antwort ist gescheitert</translation>
    </message>
    <message>
        <source>The answer is complete</source>
        <translation>Die Antwort ist fertig</translation>
    </message>
</context>
<context>
    <name>PairCard</name>
    <message>
        <source>Draft model</source>
        <translation>Entwurfsmodell</translation>
    </message>
    <message>
        <source>Download pair</source>
        <translation>Paar herunterladen</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>Looking it up…</source>
        <translation>Wird nachgeschlagen …</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Noch einmal versuchen</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <source>in your library</source>
        <translation>in Ihrer Bibliothek</translation>
    </message>
    <message>
        <source>best for this computer</source>
        <translation>am besten für diesen Computer</translation>
    </message>
    <message>
        <source>needs an access token</source>
        <translation>braucht ein Zugangstoken</translation>
    </message>
    <message>
        <source>more than is free here</source>
        <translation>mehr, als hier frei ist</translation>
    </message>
    <message>
        <source>drafts from the text so far</source>
        <translation>entwirft aus dem bisherigen Text</translation>
    </message>
    <message>
        <source>Draft model for {0}</source>
        <translation>Entwurfsmodell für {0}</translation>
    </message>
</context>
<context>
    <name>Presenter</name>
    <message>
        <source>Loading…</source>
        <translation>Lädt …</translation>
    </message>
    <message>
        <source>Loading the draft model</source>
        <translation>Entwurfsmodell wird geladen</translation>
    </message>
    <message>
        <source>Loading the model</source>
        <translation>Modell wird geladen</translation>
    </message>
    <message>
        <source>Reading your message: {0} of {1} tokens. Esc stops.</source>
        <translation>Ihre Nachricht wird gelesen: {0} von {1} Tokens. Esc hält an.</translation>
    </message>
    <message>
        <source>The last answer is copied.</source>
        <translation>Die letzte Antwort ist kopiert.</translation>
    </message>
    <message>
        <source>Open a GGUF model</source>
        <translation>GGUF-Modell öffnen</translation>
    </message>
    <message>
        <source>Choose a draft model</source>
        <translation>Entwurfsmodell wählen</translation>
    </message>
</context>
<context>
    <name>Race</name>
    <message>
        <source>answering now…</source>
        <translation>antwortet gerade …</translation>
    </message>
    <message>
        <source>One answer after the other: two at a time would slow each other down.</source>
        <translation>Eine Antwort nach der anderen: Zwei zugleich würden einander bremsen.</translation>
    </message>
    <message>
        <source>A replay: the two answers were made one after the other, and run here side by side.</source>
        <translation>Eine Wiederholung: Die beiden Antworten entstanden nacheinander und laufen hier nebeneinander.</translation>
    </message>
    <message>
        <source>It runs {0} times as fast as they did; the clocks show their own time.</source>
        <translation>Sie läuft {0}-mal so schnell wie damals; die Uhren zeigen die damalige Zeit.</translation>
    </message>
    <message>
        <source>The first answer of each side.</source>
        <translation>Die erste Antwort jeder Seite.</translation>
    </message>
</context>
<context>
    <name>ReportSheet</name>
    <message>
        <source>Report a problem</source>
        <translation>Problem melden</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>Bericht</translation>
    </message>
    <message>
        <source>Nothing of this has been sent, and nothing will be.</source>
        <translation>Nichts davon wurde verschickt, und nichts wird verschickt.</translation>
    </message>
    <message>
        <source>Read it, delete what you do not want to tell, and copy or save it. It has versions and the newest lines of the logs, which name files of models; your chats are not in it.</source>
        <translation>Lies ihn, lösche, was du nicht verraten willst, und kopiere oder speichere ihn. Er enthält Versionen und die neuesten Zeilen der Protokolle, in denen Modelldateien genannt werden; deine Chats stehen nicht darin.</translation>
    </message>
    <message>
        <source>Copied.</source>
        <translation>Kopiert.</translation>
    </message>
    <message>
        <source>Saved as {0}.</source>
        <translation>Gespeichert als {0}.</translation>
    </message>
    <message>
        <source>It could not be saved there: {0}. Choose another folder.</source>
        <translation>Dort konnte er nicht gespeichert werden: {0}. Wähle einen anderen Ordner.</translation>
    </message>
    <message>
        <source>Save the report</source>
        <translation>Bericht speichern</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>Speichern unter …</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>ResultView</name>
    <message>
        <source>Chat with it</source>
        <translation>Damit chatten</translation>
    </message>
    <message>
        <source>Chat with {0}</source>
        <translation>Mit {0} chatten</translation>
    </message>
</context>
<context>
    <name>SamplingSection</name>
    <message>
        <source>Sampling</source>
        <translation>Auswahl der Tokens</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>random</source>
        <translation>zufällig</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <source>0 always takes the most likely token.</source>
        <translation>0 nimmt immer das wahrscheinlichste Token.</translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation>Top-k</translation>
    </message>
    <message>
        <source>Only the k most likely tokens.</source>
        <translation>Nur die k wahrscheinlichsten Tokens.</translation>
    </message>
    <message>
        <source>Top-p</source>
        <translation>Top-p</translation>
    </message>
    <message>
        <source>Only the likeliest tokens that share p.</source>
        <translation>Nur die wahrscheinlichsten Tokens, die zusammen p ergeben.</translation>
    </message>
    <message>
        <source>Min-p</source>
        <translation>Min-p</translation>
    </message>
    <message>
        <source>Only tokens with p times the best.</source>
        <translation>Nur Tokens, die p-mal so wahrscheinlich sind wie das beste.</translation>
    </message>
    <message>
        <source>Repeat penalty</source>
        <translation>Wiederholungsstrafe</translation>
    </message>
    <message>
        <source>Tokens said already.</source>
        <translation>Für Tokens, die schon vorkamen.</translation>
    </message>
    <message>
        <source>Presence penalty</source>
        <translation>Präsenzstrafe</translation>
    </message>
    <message>
        <source>Once for a token said.</source>
        <translation>Einmal für ein Token, das schon vorkam.</translation>
    </message>
    <message>
        <source>Frequency penalty</source>
        <translation>Häufigkeitsstrafe</translation>
    </message>
    <message>
        <source>For each time it was said.</source>
        <translation>Für jedes Mal, das es vorkam.</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>The same seed gives the same text.</source>
        <translation>Derselbe Seed ergibt denselben Text.</translation>
    </message>
    <message>
        <source>Reset to defaults</source>
        <translation>Auf Vorgaben zurücksetzen</translation>
    </message>
    <message>
        <source>Without effect on this server: {0}</source>
        <translation>Ohne Wirkung auf diesem Server: {0}</translation>
    </message>
</context>
<context>
    <name>ServerSpeculation</name>
    <message>
        <source>Start command with speculation</source>
        <translation>Startbefehl mit Spekulation</translation>
    </message>
    <message>
        <source>Copy the start command</source>
        <translation>Startbefehl kopieren</translation>
    </message>
    <message>
        <source>The switch chooses for each message.</source>
        <translation>Der Schalter wählt für jede Nachricht.</translation>
    </message>
    <message>
        <source>Set when the server starts: a message cannot choose. This starts one with speculation:</source>
        <translation>Beim Start des Servers festgelegt: Eine Nachricht kann nicht wählen. So startet einer mit Spekulation:</translation>
    </message>
    <message>
        <source>Set when the server starts: a message cannot choose.</source>
        <translation>Beim Start des Servers festgelegt: Eine Nachricht kann nicht wählen.</translation>
    </message>
</context>
<context>
    <name>SetupCard</name>
    <message>
        <source>A question to be answered with and without speculation</source>
        <translation>Eine Frage, die mit und ohne Spekulation beantwortet wird</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>Frage</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>Vergleichen mit</translation>
    </message>
    <message>
        <source>Plain decoding against</source>
        <translation>Ohne Spekulation gegen</translation>
    </message>
    <message>
        <source>Answers of each side</source>
        <translation>Antworten je Seite</translation>
    </message>
    <message>
        <source>Tokens of an answer at most</source>
        <translation>Höchstens so viele Token je Antwort</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>ohne Grenze</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Tokens at most</source>
        <translation>Token höchstens</translation>
    </message>
    <message>
        <source>In its context: {0} earlier messages. A changed question is asked alone.</source>
        <translation>In ihrem Zusammenhang: {0} frühere Nachrichten. Eine geänderte Frage wird allein gestellt.</translation>
    </message>
    <message>
        <source>The loaded model with itself, by drafter</source>
        <translation>Das geladene Modell mit sich selbst, nach Entwerfer</translation>
    </message>
    <message>
        <source>The loaded model with {0}</source>
        <translation>Das geladene Modell mit {0}</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>SetupTab</name>
    <message>
        <source>Address of the hub</source>
        <translation>Adresse des Hubs</translation>
    </message>
    <message>
        <source>Use this address</source>
        <translation>Diese Adresse verwenden</translation>
    </message>
    <message>
        <source>Offline mode: never use the network</source>
        <translation>Offline-Modus: das Netz nie verwenden</translation>
    </message>
    <message>
        <source>Paste a token</source>
        <translation>Token einfügen</translation>
    </message>
    <message>
        <source>Access token</source>
        <translation>Zugangstoken</translation>
    </message>
    <message>
        <source>Save token</source>
        <translation>Token speichern</translation>
    </message>
    <message>
        <source>Forget it</source>
        <translation>Vergessen</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Change the models folder</source>
        <translation>Modellordner ändern</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Show the models folder</source>
        <translation>Modellordner zeigen</translation>
    </message>
    <message>
        <source>Downloads go to</source>
        <translation>Downloads gehen nach</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>Ändern …</translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation>Ordner hinzufügen …</translation>
    </message>
    <message>
        <source>Access to the hub</source>
        <translation>Zugang zum Hub</translation>
    </message>
    <message>
        <source>Address of the hub, or of a mirror</source>
        <translation>Adresse des Hubs oder eines Spiegels</translation>
    </message>
    <message>
        <source>Access token, for models whose terms have to be accepted first</source>
        <translation>Zugangstoken, für Modelle, deren Bedingungen zuerst angenommen werden müssen</translation>
    </message>
    <message>
        <source>Hugging Face cache</source>
        <translation>Hugging-Face-Cache</translation>
    </message>
    <message>
        <source>LM Studio</source>
        <translation>von LM Studio</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Do not list {0} any more</source>
        <translation>{0} nicht mehr auflisten</translation>
    </message>
    <message>
        <source>Listed too</source>
        <translation>Auch aufgelistet</translation>
    </message>
    <message>
        <source>List its models</source>
        <translation>Seine Modelle auflisten</translation>
    </message>
    <message>
        <source>List the models of {0}</source>
        <translation>Die Modelle von {0} auflisten</translation>
    </message>
    <message>
        <source>Found on this computer</source>
        <translation>Auf diesem Computer gefunden</translation>
    </message>
    <message>
        <source>A token is kept in {0}. It is never shown.</source>
        <translation>Ein Token liegt in {0}. Es wird nie angezeigt.</translation>
    </message>
    <message>
        <source>No token is kept. It would be kept in {0}.</source>
        <translation>Kein Token ist gespeichert. Es würde in {0} liegen.</translation>
    </message>
</context>
<context>
    <name>ShortcutSheet</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>New line</source>
        <translation>Neue Zeile</translation>
    </message>
    <message>
        <source>Shift+Enter</source>
        <translation>Umschalt+Eingabe</translation>
    </message>
    <message>
        <source>From message to message</source>
        <translation>Von Nachricht zu Nachricht</translation>
    </message>
    <message>
        <source>Alt+Up</source>
        <translation>Alt+Hoch</translation>
    </message>
    <message>
        <source>Alt+Down</source>
        <translation>Alt+Runter</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>SidePanel</name>
    <message>
        <source>Side panel</source>
        <translation>Seitenleiste</translation>
    </message>
</context>
<context>
    <name>SpeculationSection</name>
    <message>
        <source>Speculation</source>
        <translation>Spekulation</translation>
    </message>
    <message>
        <source>Drafter</source>
        <translation>Entwerfer</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>Entwurfsmodell</translation>
    </message>
    <message>
        <source>Automatic lookahead</source>
        <translation>Automatische Vorausschau</translation>
    </message>
    <message>
        <source>Lookahead</source>
        <translation>Vorausschau</translation>
    </message>
    <message>
        <source>Lookahead in tokens</source>
        <translation>Vorausschau in Tokens</translation>
    </message>
    <message>
        <source>Minimum confidence</source>
        <translation>Mindestsicherheit</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>How many tokens are proposed in a round is found by measuring.</source>
        <translation>Wie viele Tokens je Runde vorgeschlagen werden, ergibt die Messung.</translation>
    </message>
    <message>
        <source>The draft model stops before a token it gives less probability than this.</source>
        <translation>Das Entwurfsmodell hält vor einem Token an, dem es weniger Wahrscheinlichkeit gibt.</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Wählen …</translation>
    </message>
    <message>
        <source>Choose a draft model</source>
        <translation>Entwurfsmodell wählen</translation>
    </message>
    <message>
        <source>Use no draft model</source>
        <translation>Kein Entwurfsmodell verwenden</translation>
    </message>
    <message>
        <source>None chosen</source>
        <translation>Keines gewählt</translation>
    </message>
    <message>
        <source>A small model of the same family makes answers faster.</source>
        <translation>Ein kleines Modell derselben Familie macht Antworten schneller.</translation>
    </message>
    <message>
        <source>1/{0} of the target</source>
        <translation>1/{0} des Zielmodells</translation>
    </message>
    <message>
        <source>{0} measured</source>
        <translation>{0} gemessen</translation>
    </message>
    <message>
        <source>now {0} tokens</source>
        <translation>jetzt {0} Tokens</translation>
    </message>
    <message>
        <source>Set when the server starts</source>
        <translation>Beim Start des Servers festgelegt</translation>
    </message>
</context>
<context>
    <name>ThinkingPart</name>
    <message>
        <source>Thinking</source>
        <translation>Denken</translation>
    </message>
</context>
<context>
    <name>TopBar</name>
    <message>
        <source>Chats</source>
        <translation>Chats</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Compare with and without speculation</source>
        <translation>Mit und ohne Spekulation vergleichen</translation>
    </message>
    <message>
        <source>Side panel</source>
        <translation>Seitenleiste</translation>
    </message>
    <message>
        <source>Menu</source>
        <translation>Menü</translation>
    </message>
    <message>
        <source>Show where tokens came from</source>
        <translation>Herkunft der Tokens zeigen</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
</context>
<context>
    <name>TranscriptView</name>
    <message>
        <source>Jump to latest</source>
        <translation>Zum Neuesten springen</translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>Unterhaltung</translation>
    </message>
</context>
<context>
    <name>VerdictCard</name>
    <message>
        <source>Side of the race</source>
        <translation>Seite des Rennens</translation>
    </message>
    <message>
        <source>Prove it</source>
        <translation>Beweisen</translation>
    </message>
    <message>
        <source>Asks again with all passes in one shape: there the texts have to be identical</source>
        <translation>Fragt noch einmal, alle Durchgänge in einer Form: Dort müssen die Texte gleich sein</translation>
    </message>
    <message>
        <source>Replay the race</source>
        <translation>Rennen wiederholen</translation>
    </message>
    <message>
        <source>Compare again</source>
        <translation>Noch einmal vergleichen</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportieren …</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>(from {0} to {1})</source>
        <translation>(von {0} bis {1})</translation>
    </message>
    <message>
        <source>same text, token for token</source>
        <translation>derselbe Text, Token für Token</translation>
    </message>
    <message>
        <source>texts part</source>
        <translation>Texte gehen auseinander</translation>
    </message>
    <message>
        <source>You waited {0} less.</source>
        <translation>Sie haben {0} weniger gewartet.</translation>
    </message>
    <message>
        <source>You waited {0} longer.</source>
        <translation>Sie haben {0} länger gewartet.</translation>
    </message>
    <message>
        <source>Proof failed: in one shape the texts differ from token {0} on. Please report this.</source>
        <translation>Beweis gescheitert: In einer Form unterscheiden sich die Texte ab Token {0}. Bitte melden Sie das.</translation>
    </message>
    <message>
        <source>Proven: with all passes in one shape, the texts are identical, token for token.</source>
        <translation>Bewiesen: Mit allen Durchgängen in einer Form sind die Texte gleich, Token für Token.</translation>
    </message>
    <message>
        <source>First token</source>
        <translation>Erstes Token</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>Total wait</source>
        <translation>Wartezeit</translation>
    </message>
    <message>
        <source>Measured gain</source>
        <translation>Gemessener Gewinn</translation>
    </message>
    <message>
        <source>Its range</source>
        <translation>Seine Spanne</translation>
    </message>
    <message>
        <source>Tokens per pass</source>
        <translation>Token je Durchgang</translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation>Angenommen</translation>
    </message>
    <message>
        <source>Identical answers</source>
        <translation>Gleiche Antworten</translation>
    </message>
</context>
<context>
    <name>ViewMenu</name>
    <message>
        <source>As the system</source>
        <translation>Wie das System</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>High contrast, light</source>
        <translation>Hoher Kontrast, hell</translation>
    </message>
    <message>
        <source>High contrast, dark</source>
        <translation>Hoher Kontrast, dunkel</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>Schriftgröße</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>Get a model</source>
        <translation>Modell holen</translation>
    </message>
    <message>
        <source>Open GGUF file…</source>
        <translation>GGUF-Datei öffnen …</translation>
    </message>
    <message>
        <source>The model is loading…</source>
        <translation>Das Modell wird geladen …</translation>
    </message>
    <message>
        <source>No model is loaded</source>
        <translation>Kein Modell ist geladen</translation>
    </message>
    <message>
        <source>The demo pair is ready</source>
        <translation>Das Vorführpaar ist bereit</translation>
    </message>
    <message>
        <source>You can write your message already.</source>
        <translation>Sie können Ihre Nachricht schon schreiben.</translation>
    </message>
    <message>
        <source>Open a GGUF file from this computer, or drop one onto this window.</source>
        <translation>Öffnen Sie eine GGUF-Datei von diesem Computer, oder legen Sie eine auf diesem Fenster ab.</translation>
    </message>
    <message>
        <source>A tiny demonstration model ({0} parameters) with a smaller one that drafts for it. It has learnt Python&apos;s documentation, JSON, tables and lists: enough to show how speculation saves time, and no assistant. For real answers, get a model that fits this computer, or open a GGUF file of your own.</source>
        <translation>Ein winziges Vorführmodell ({0} Parameter) mit einem kleineren, das für es entwirft. Es hat die Python-Dokumentation, JSON, Tabellen und Listen gelernt: genug, um zu zeigen, wie Spekulation Zeit spart, aber kein Assistent. Holen Sie für echte Antworten ein Modell, das zu diesem Computer passt, oder öffnen Sie eine eigene GGUF-Datei.</translation>
    </message>
    <message>
        <source>Drafts come from {0}. What is said is always the large model&apos;s own text.</source>
        <translation>Entwürfe kommen von {0}. Gesagt wird immer der eigene Text des großen Modells.</translation>
    </message>
    <message>
        <source>No draft model is chosen. A small model of the same family can make answers faster.</source>
        <translation>Kein Entwurfsmodell ist gewählt. Ein kleines Modell derselben Familie kann Antworten schneller machen.</translation>
    </message>
</context>
<context>
    <name>answer</name>
    <message>
        <source>without a description</source>
        <translation>ohne Beschreibung</translation>
    </message>
    <message>
        <source>[image: {0}]</source>
        <translation>[Bild: {0}]</translation>
    </message>
    <message>
        <source>draft model</source>
        <translation>Entwurfsmodell</translation>
    </message>
    <message>
        <source>n-gram</source>
        <translation>N-Gramm</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>Köpfe</translation>
    </message>
    <message>
        <source>corrected</source>
        <translation>korrigiert</translation>
    </message>
    <message>
        <source>target</source>
        <translation>Zielmodell</translation>
    </message>
    <message>
        <source>first token {0} s</source>
        <translation>erstes Token {0} s</translation>
    </message>
    <message>
        <source>seed {0}</source>
        <translation>Seed {0}</translation>
    </message>
    <message>
        <source>Prompt: {0} tokens, {1} of them from the cache</source>
        <translation>Eingabe: {0} Tokens, {1} davon aus dem Cache</translation>
    </message>
    <message>
        <source>Answer: {0} tokens in {1} passes</source>
        <translation>Antwort: {0} Tokens in {1} Durchgängen</translation>
    </message>
    <message>
        <source>Accepted: {0} of {1} verified, {2} proposed</source>
        <translation>Angenommen: {0} von {1} geprüften, {2} vorgeschlagen</translation>
    </message>
    <message>
        <source>Seed: {0}</source>
        <translation>Seed: {0}</translation>
    </message>
    <message>
        <source>The answer failed and nobody said why. Try again.</source>
        <translation>Die Antwort ist gescheitert, und niemand sagte warum. Versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>The answer was interrupted. What came before it is kept.</source>
        <translation>Die Antwort wurde unterbrochen. Was vorher kam, ist erhalten.</translation>
    </message>
    <message>
        <source>Answer finished.</source>
        <translation>Antwort fertig.</translation>
    </message>
    <message>
        <source>The model ended its answer without a word.</source>
        <translation>Das Modell beendete seine Antwort ohne ein Wort.</translation>
    </message>
    <message>
        <source>Thinking…</source>
        <translation>Denkt …</translation>
    </message>
    <message>
        <source>Thoughts</source>
        <translation>Gedanken</translation>
    </message>
    <message>
        <source>Thinking for {0} s, {1} tokens</source>
        <translation>Denkt seit {0} s, {1} Tokens</translation>
    </message>
    <message>
        <source>Thought for {0} s, {1} tokens</source>
        <translation>Dachte {0} s, {1} Tokens</translation>
    </message>
    <message>
        <source>The answer used up its token limit while it was still thinking.</source>
        <translation>Die Antwort verbrauchte ihre Tokengrenze, während sie noch dachte.</translation>
    </message>
    <message>
        <source>The answer filled the context while it was still thinking.</source>
        <translation>Die Antwort füllte den Kontext, während sie noch dachte.</translation>
    </message>
    <message>
        <source>The answer ended while it was still thinking.</source>
        <translation>Die Antwort endete, während sie noch dachte.</translation>
    </message>
    <message>
        <source>Attached: {0}</source>
        <translation>Angehängt: {0}</translation>
    </message>
    <message>
        <source>Attached: {0}, {1} tokens</source>
        <translation>Angehängt: {0}, {1} Tokens</translation>
    </message>
    <message>
        <source>speculation not told</source>
        <translation>Spekulation nicht genannt</translation>
    </message>
    <message>
        <source>ended at a stop text</source>
        <translation>endete an einem Stopptext</translation>
    </message>
    <message>
        <source>stopped at the token limit</source>
        <translation>an der Tokengrenze angehalten</translation>
    </message>
    <message>
        <source>stopped: the context is full</source>
        <translation>angehalten: Der Kontext ist voll</translation>
    </message>
    <message>
        <source>stopped by you</source>
        <translation>von Ihnen angehalten</translation>
    </message>
    <message>
        <source>speculation off</source>
        <translation>Spekulation aus</translation>
    </message>
    <message>
        <source>nothing drafted</source>
        <translation>nichts entworfen</translation>
    </message>
    <message>
        <source>speculation paused</source>
        <translation>Spekulation pausiert</translation>
    </message>
    <message>
        <source>speculation unavailable</source>
        <translation>Spekulation nicht verfügbar</translation>
    </message>
    <message>
        <source>{0}: proposed and accepted</source>
        <translation>{0}: vorgeschlagen und angenommen</translation>
    </message>
    <message>
        <source>{0}: proposed and accepted, the draft was {1} % sure</source>
        <translation>{0}: vorgeschlagen und angenommen, der Entwurf war zu {1} % sicher</translation>
    </message>
    <message>
        <source>corrected: the target said this instead of what was proposed</source>
        <translation>korrigiert: Das Zielmodell sagte dies statt des Vorschlags</translation>
    </message>
    <message>
        <source>corrected: the target said this, the draft was {0} % sure of something else</source>
        <translation>korrigiert: Das Zielmodell sagte dies, der Entwurf war zu {0} % von etwas anderem überzeugt</translation>
    </message>
    <message>
        <source>target: nothing was proposed here</source>
        <translation>Zielmodell: Hier wurde nichts vorgeschlagen</translation>
    </message>
</context>
<context>
    <name>badge</name>
    <message>
        <source>prediction heads + n-gram</source>
        <translation>Vorhersageköpfe + N-Gramm</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>n-gram</source>
        <translation>N-Gramm</translation>
    </message>
    <message>
        <source>draft model</source>
        <translation>Entwurfsmodell</translation>
    </message>
    <message>
        <source>prediction heads</source>
        <translation>Vorhersageköpfe</translation>
    </message>
    <message>
        <source>draft model + n-gram</source>
        <translation>Entwurfsmodell + N-Gramm</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>Kein Modell</translation>
    </message>
    <message>
        <source>Unavailable</source>
        <translation>Nicht verfügbar</translation>
    </message>
    <message>
        <source>{0} tok/s</source>
        <translation>{0} Tok/s</translation>
    </message>
    <message>
        <source>{0} accepted</source>
        <translation>{0} angenommen</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>gemessen</translation>
    </message>
    <message>
        <source>estimated</source>
        <translation>geschätzt</translation>
    </message>
    <message>
        <source>Speculation off</source>
        <translation>Spekulation aus</translation>
    </message>
    <message>
        <source>n-gram only: {0}</source>
        <translation>nur N-Gramm: {0}</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>no token was proposed</source>
        <translation>kein Token wurde vorgeschlagen</translation>
    </message>
    <message>
        <source>Measured by a comparison with these models: {0}</source>
        <translation>Gemessen durch einen Vergleich mit diesen Modellen: {0}</translation>
    </message>
    <message>
        <source>nothing drafted</source>
        <translation>nichts entworfen</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>pausiert</translation>
    </message>
    <message>
        <source>unavailable</source>
        <translation>nicht verfügbar</translation>
    </message>
    <message>
        <source>Lookahead: {0}, automatic</source>
        <translation>Vorausschau: {0}, automatisch</translation>
    </message>
    <message>
        <source>Lookahead: {0}</source>
        <translation>Vorausschau: {0}</translation>
    </message>
    <message>
        <source>Accepted: {0} of {1} verified ({2}), {3} proposed</source>
        <translation>Angenommen: {0} von {1} geprüften ({2}), {3} vorgeschlagen</translation>
    </message>
    <message>
        <source>By position: {0}</source>
        <translation>Nach Position: {0}</translation>
    </message>
    <message>
        <source>Gain: {0}</source>
        <translation>Gewinn: {0}</translation>
    </message>
    <message>
        <source>Tokens per pass: {0}</source>
        <translation>Tokens je Durchgang: {0}</translation>
    </message>
    <message>
        <source>draft</source>
        <translation>entwerfen</translation>
    </message>
    <message>
        <source>verify</source>
        <translation>prüfen</translation>
    </message>
    <message>
        <source>sample</source>
        <translation>wählen</translation>
    </message>
    <message>
        <source>other</source>
        <translation>übrige</translation>
    </message>
    <message>
        <source>Time: {0}</source>
        <translation>Zeit: {0}</translation>
    </message>
    <message>
        <source>First token: {0} s</source>
        <translation>Erstes Token: {0} s</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keines</translation>
    </message>
    <message>
        <source>Target: {0}</source>
        <translation>Zielmodell: {0}</translation>
    </message>
    <message>
        <source>Draft model: {0}</source>
        <translation>Entwurfsmodell: {0}</translation>
    </message>
    <message>
        <source>Drafter: {0}</source>
        <translation>Entwerfer: {0}</translation>
    </message>
    <message>
        <source>speculation on</source>
        <translation>Spekulation an</translation>
    </message>
    <message>
        <source>speculation off</source>
        <translation>Spekulation aus</translation>
    </message>
    <message>
        <source>speculation not told</source>
        <translation>Spekulation nicht genannt</translation>
    </message>
    <message>
        <source>from the server</source>
        <translation>vom Server</translation>
    </message>
    <message>
        <source>measured here</source>
        <translation>hier gemessen</translation>
    </message>
    <message>
        <source>computed from its figures</source>
        <translation>aus seinen Zahlen berechnet</translation>
    </message>
    <message>
        <source>Server: {0}, {1} at {2}</source>
        <translation>Server: {0}, {1} auf {2}</translation>
    </message>
    <message>
        <source>Speculation: {0}</source>
        <translation>Spekulation: {0}</translation>
    </message>
    <message>
        <source>Accepted: {0}</source>
        <translation>Angenommen: {0}</translation>
    </message>
    <message>
        <source>Verified: {0}</source>
        <translation>Geprüft: {0}</translation>
    </message>
    <message>
        <source>Tokens: {0}</source>
        <translation>Tokens: {0}</translation>
    </message>
    <message>
        <source>Speed: {0}</source>
        <translation>Tempo: {0}</translation>
    </message>
</context>
<context>
    <name>banner</name>
    <message>
        <source>This chat was answered by {0}; loaded is {1}.</source>
        <translation>Diesen Chat beantwortete {0}; geladen ist {1}.</translation>
    </message>
    <message>
        <source>The next answer comes from what is loaded, unless you load the other one.</source>
        <translation>Die nächste Antwort kommt vom geladenen Modell, wenn Sie nicht das andere laden.</translation>
    </message>
    <message>
        <source>{0} without a draft model</source>
        <translation>{0} ohne Entwurfsmodell</translation>
    </message>
    <message>
        <source>{0} with {1}</source>
        <translation>{0} mit {1}</translation>
    </message>
</context>
<context>
    <name>bootstrap</name>
    <message>
        <source>Something went wrong in the window.</source>
        <translation>Im Fenster ist etwas schiefgegangen.</translation>
    </message>
    <message>
        <source>The chat goes on. If it happens again, restart Outpace and keep the details: they say where.</source>
        <translation>Der Chat geht weiter. Passiert es wieder, starten Sie Outpace neu und bewahren Sie die Einzelheiten auf: Sie sagen, wo.</translation>
    </message>
    <message>
        <source>Outpace ended unexpectedly last time.</source>
        <translation>Outpace wurde beim letzten Mal unerwartet beendet.</translation>
    </message>
    <message>
        <source>Your chats are here. A report says where it happened; it is sent nowhere.</source>
        <translation>Deine Chats sind da. Ein Bericht sagt, wo es geschah; er wird nirgendwohin geschickt.</translation>
    </message>
</context>
<context>
    <name>catalogue</name>
    <message>
        <source>{0} + prediction heads</source>
        <translation>{0} + Vorhersageköpfe</translation>
    </message>
    <message>
        <source>best for this computer</source>
        <translation>am besten für diesen Computer</translation>
    </message>
</context>
<context>
    <name>chat list</name>
    <message>
        <source>Pinned</source>
        <translation>Angeheftet</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>Früher</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>Gestern</translation>
    </message>
</context>
<context>
    <name>code</name>
    <message>
        <source>Copy this code</source>
        <translation>Diesen Code kopieren</translation>
    </message>
    <message>
        <source>Save this code</source>
        <translation>Diesen Code speichern</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Kopiert</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Save the code</source>
        <translation>Code speichern</translation>
    </message>
    <message>
        <source>The code is saved as {0}.</source>
        <translation>Der Code ist als {0} gespeichert.</translation>
    </message>
    <message>
        <source>{0} could not be written ({1}).</source>
        <translation>{0} konnte nicht geschrieben werden ({1}).</translation>
    </message>
    <message>
        <source>Choose another folder.</source>
        <translation>Wählen Sie einen anderen Ordner.</translation>
    </message>
</context>
<context>
    <name>compare</name>
    <message>
        <source>No model is loaded. Open one first.</source>
        <translation>Es ist kein Modell geladen. Öffnen Sie zuerst eines.</translation>
    </message>
    <message>
        <source>A model is being loaded. Compare when it is ready.</source>
        <translation>Ein Modell wird geladen. Vergleichen Sie, wenn es bereit ist.</translation>
    </message>
    <message>
        <source>The engine is not running. Restart it first.</source>
        <translation>Die Engine läuft nicht. Starten Sie sie zuerst neu.</translation>
    </message>
    <message>
        <source>An answer is being written. Compare when it is finished, or stop it.</source>
        <translation>Eine Antwort wird gerade geschrieben. Vergleichen Sie danach, oder brechen Sie sie ab.</translation>
    </message>
    <message>
        <source>{0} cannot choose speculation for a message: compare it with another model.</source>
        <translation>{0} kann Spekulation nicht je Nachricht wählen: Vergleichen Sie ihn mit einem anderen Modell.</translation>
    </message>
    <message>
        <source>The server chooses its drafter.</source>
        <translation>Der Server wählt seinen Entwerfer.</translation>
    </message>
    <message>
        <source>Choose at least one drafter to compare with.</source>
        <translation>Wählen Sie mindestens einen Entwerfer zum Vergleichen.</translation>
    </message>
    <message>
        <source>A server cannot bring its passes into one shape, so it proves nothing.</source>
        <translation>Ein Server kann seine Durchgänge nicht in eine Form bringen, er beweist also nichts.</translation>
    </message>
    <message>
        <source>This was measured with {0}. Load these models first.</source>
        <translation>Das wurde mit {0} gemessen. Laden Sie zuerst diese Modelle.</translation>
    </message>
    <message>
        <source>The comparison was stopped. Nothing was kept.</source>
        <translation>Der Vergleich wurde abgebrochen. Nichts wurde aufbewahrt.</translation>
    </message>
    <message>
        <source>A comparison is under way.</source>
        <translation>Ein Vergleich läuft schon.</translation>
    </message>
    <message>
        <source>There is no server to compare with.</source>
        <translation>Es gibt keinen Server zum Vergleich.</translation>
    </message>
    <message>
        <source>This was measured with {0}. Load it first.</source>
        <translation>Das wurde mit {0} gemessen. Laden Sie es zuerst.</translation>
    </message>
    <message>
        <source>The engine does not react to Stop. What it still does for the comparison is ignored.</source>
        <translation>Die Engine reagiert nicht auf das Abbrechen. Was sie noch für den Vergleich tut, wird nicht beachtet.</translation>
    </message>
    <message>
        <source>The comparison was stopped, because a message was sent.</source>
        <translation>Der Vergleich wurde abgebrochen, weil eine Nachricht gesendet wurde.</translation>
    </message>
    <message>
        <source>The comparison was stopped, because a model is being loaded.</source>
        <translation>Der Vergleich wurde abgebrochen, weil ein Modell geladen wird.</translation>
    </message>
    <message>
        <source>Speculation off</source>
        <translation>Spekulation aus</translation>
    </message>
    <message>
        <source>Speculation on: {0}</source>
        <translation>Spekulation an: {0}</translation>
    </message>
    <message>
        <source>first token {0}</source>
        <translation>erstes Token {0}</translation>
    </message>
    <message>
        <source>{0} tokens</source>
        <translation>{0} Token</translation>
    </message>
</context>
<context>
    <name>comparison</name>
    <message>
        <source>The answer was too short to measure.</source>
        <translation>Die Antwort war zu kurz zum Messen.</translation>
    </message>
    <message>
        <source>Speculation was {0} times as fast.</source>
        <translation>Spekulation war {0}-mal so schnell.</translation>
    </message>
    <message>
        <source>Speculation was slower: {0} times the speed of plain decoding.</source>
        <translation>Spekulation war langsamer: das {0}-Fache des Tempos ohne sie.</translation>
    </message>
    <message>
        <source>Speculation made no difference that could be measured.</source>
        <translation>Spekulation machte keinen messbaren Unterschied.</translation>
    </message>
    <message>
        <source>The texts are identical, token for token.</source>
        <translation>Die Texte sind gleich, Token für Token.</translation>
    </message>
    <message>
        <source>The texts differ from token {0} on. In fixed shape that is a fault: please report it.</source>
        <translation>Die Texte unterscheiden sich ab Token {0}. In fester Form ist das ein Fehler: Bitte melden Sie ihn.</translation>
    </message>
    <message>
        <source>The texts part at token {0}</source>
        <translation>Die Texte gehen bei Token {0} auseinander</translation>
    </message>
    <message>
        <source>where the best two tokens were {0} apart</source>
        <translation>wo die beiden besten Token {0} auseinanderlagen</translation>
    </message>
    <message>
        <source>passes of different shape are rounded differently, and two tokens were nearly equally likely there. A proof in fixed shape compares without that.</source>
        <translation>Durchgänge verschiedener Form werden verschieden gerundet, und zwei Token waren dort fast gleich wahrscheinlich. Ein Beweis in fester Form vergleicht ohne das.</translation>
    </message>
    <message>
        <source>{0} was {1} times as fast as {2}.</source>
        <translation>{0} war {1}-mal so schnell wie {2}.</translation>
    </message>
    <message>
        <source>{0} and {1} were equally fast.</source>
        <translation>{0} und {1} waren gleich schnell.</translation>
    </message>
    <message>
        <source>The texts are the same, character for character.</source>
        <translation>Die Texte sind gleich, Zeichen für Zeichen.</translation>
    </message>
    <message>
        <source>The texts differ from character {0} on.</source>
        <translation>Die Texte unterscheiden sich ab Zeichen {0}.</translation>
    </message>
    <message>
        <source>A server promises nothing about that: its passes are rounded in their own ways.</source>
        <translation>Ein Server verspricht dazu nichts: Seine Durchgänge werden auf eigene Weise gerundet.</translation>
    </message>
</context>
<context>
    <name>connections</name>
    <message>
        <source>Nothing was sent: the address is public and not encrypted.</source>
        <translation>Nichts wurde gesendet: Die Adresse ist öffentlich und nicht verschlüsselt.</translation>
    </message>
    <message>
        <source>This model was on a server that is no longer among your connections.</source>
        <translation>Dieses Modell war auf einem Server, der nicht mehr unter Ihren Verbindungen ist.</translation>
    </message>
    <message>
        <source>Choose another model, or add the server again.</source>
        <translation>Wählen Sie ein anderes Modell, oder fügen Sie den Server wieder hinzu.</translation>
    </message>
    <message>
        <source>This server has a public address and no encryption.</source>
        <translation>Dieser Server hat eine öffentliche Adresse und keine Verschlüsselung.</translation>
    </message>
    <message>
        <source>Test it under Connections first, where you can agree to that.</source>
        <translation>Testen Sie ihn zuerst unter Verbindungen, wo Sie dem zustimmen können.</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>Loading its model</source>
        <translation>Lädt sein Modell</translation>
    </message>
    <message>
        <source>Busy</source>
        <translation>Beschäftigt</translation>
    </message>
    <message>
        <source>Key needed</source>
        <translation>Schlüssel nötig</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>Kein Modell</translation>
    </message>
    <message>
        <source>Not reachable</source>
        <translation>Nicht erreichbar</translation>
    </message>
    <message>
        <source>Not usable</source>
        <translation>Nicht verwendbar</translation>
    </message>
    <message>
        <source>Its engine died</source>
        <translation>Seine Engine ist abgestürzt</translation>
    </message>
    <message>
        <source>Find out</source>
        <translation>Herausfinden</translation>
    </message>
    <message>
        <source>{0} tokens of context</source>
        <translation>{0} Tokens Kontext</translation>
    </message>
    <message>
        <source>context not told</source>
        <translation>Kontext nicht genannt</translation>
    </message>
    <message>
        <source>speculation on</source>
        <translation>Spekulation an</translation>
    </message>
    <message>
        <source>speculation off</source>
        <translation>Spekulation aus</translation>
    </message>
    <message>
        <source>speculation not told</source>
        <translation>Spekulation nicht genannt</translation>
    </message>
    <message>
        <source>switch: {0}</source>
        <translation>Schalter: {0}</translation>
    </message>
</context>
<context>
    <name>drafters</name>
    <message>
        <source>Prediction heads + n-gram</source>
        <translation>Vorhersageköpfe + N-Gramm</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>N-gram</source>
        <translation>N-Gramm</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>Entwurfsmodell</translation>
    </message>
    <message>
        <source>Prediction heads</source>
        <translation>Vorhersageköpfe</translation>
    </message>
    <message>
        <source>Draft model + n-gram</source>
        <translation>Entwurfsmodell + N-Gramm</translation>
    </message>
</context>
<context>
    <name>drafts</name>
    <message>
        <source>No draft model</source>
        <translation>Kein Entwurfsmodell</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>in Gebrauch</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>passt</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>passt nicht</translation>
    </message>
</context>
<context>
    <name>engine</name>
    <message>
        <source>Drafting has cost {0} ms more than it saved in this answer, so it waits.</source>
        <translation>Entwerfen hat in dieser Antwort {0} ms mehr gekostet als gespart, darum wartet es.</translation>
    </message>
    <message>
        <source>Plain decoding is faster here: a token takes {0} ms, checking one more {1} ms and drafting it {2} ms, but only about {3} of the proposals would be kept.</source>
        <translation>Einfaches Dekodieren ist hier schneller: Ein Token dauert {0} ms, eines mehr zu prüfen {1} ms und es zu entwerfen {2} ms, aber nur etwa {3} der Vorschläge würden behalten.</translation>
    </message>
    <message>
        <source>Plain decoding is faster here: a token takes {0} ms, checking one more {1} ms, but only about {2} of the proposals would be kept.</source>
        <translation>Einfaches Dekodieren ist hier schneller: Ein Token dauert {0} ms, eines mehr zu prüfen {1} ms, aber nur etwa {2} der Vorschläge würden behalten.</translation>
    </message>
    <message>
        <source>The answer was over after its first token.</source>
        <translation>Die Antwort war nach ihrem ersten Token zu Ende.</translation>
    </message>
    <message>
        <source>Every proposed token was below the minimum confidence.</source>
        <translation>Jedes vorgeschlagene Token lag unter der Mindestsicherheit.</translation>
    </message>
    <message>
        <source>Nothing in this text has repeated so far.</source>
        <translation>In diesem Text hat sich bisher nichts wiederholt.</translation>
    </message>
    <message>
        <source>Nothing has been proposed so far.</source>
        <translation>Bisher wurde nichts vorgeschlagen.</translation>
    </message>
    <message>
        <source>No draft model is loaded.</source>
        <translation>Kein Entwurfsmodell ist geladen.</translation>
    </message>
    <message>
        <source>The drafter you chose ({0}) cannot be used: {1}</source>
        <translation>Der gewählte Entwerfer ({0}) ist nicht verwendbar: {1}</translation>
    </message>
    <message>
        <source>Choose another drafter, or switch speculation off.</source>
        <translation>Wählen Sie einen anderen Entwerfer, oder schalten Sie Spekulation aus.</translation>
    </message>
    <message>
        <source>This file has no prediction heads.</source>
        <translation>Diese Datei hat keine Vorhersageköpfe.</translation>
    </message>
    <message>
        <source>This file has no prediction heads. Some models of its kind were made with them. The MTP version of the model has them, and so has a file called mtp-*.gguf beside this one.</source>
        <translation>Diese Datei hat keine Vorhersageköpfe. Manche Modelle ihrer Art wurden mit welchen gemacht. Die MTP-Fassung des Modells hat sie, und ebenso eine Datei namens mtp-*.gguf neben dieser.</translation>
    </message>
    <message>
        <source>This file was made without its prediction heads. The MTP version of the model has them, and so has a file called mtp-*.gguf beside this one.</source>
        <translation>Diese Datei wurde ohne ihre Vorhersageköpfe gemacht. Die MTP-Fassung des Modells hat sie, und ebenso eine Datei namens mtp-*.gguf neben dieser.</translation>
    </message>
    <message>
        <source>The engine cannot use the prediction heads of {0} models.</source>
        <translation>Die Engine kann die Vorhersageköpfe von {0}-Modellen nicht verwenden.</translation>
    </message>
    <message>
        <source>Only {0} of the {1} prediction heads are in this file.</source>
        <translation>Nur {0} der {1} Vorhersageköpfe sind in dieser Datei.</translation>
    </message>
    <message>
        <source>The prediction heads in {0} were made for another model.</source>
        <translation>Die Vorhersageköpfe in {0} wurden für ein anderes Modell gemacht.</translation>
    </message>
    <message>
        <source>The prediction heads were not loaded. The model&apos;s settings can change that.</source>
        <translation>Die Vorhersageköpfe wurden nicht geladen. Die Einstellungen des Modells können das ändern.</translation>
    </message>
    <message>
        <source>The prediction heads in {0} are not loaded: they make the engine crash.</source>
        <translation>Die Vorhersageköpfe in {0} werden nicht geladen: sie bringen die Engine zum Absturz.</translation>
    </message>
    <message>
        <source>The prediction heads in {0} need about {1} of memory; {2} are free.</source>
        <translation>Die Vorhersageköpfe in {0} brauchen etwa {1} Speicher; {2} sind frei.</translation>
    </message>
    <message>
        <source>The engine does not react to Stop.</source>
        <translation>Die Engine reagiert nicht auf Anhalten.</translation>
    </message>
    <message>
        <source>Wait, or restart it. The text so far stays.</source>
        <translation>Warten Sie, oder starten Sie sie neu. Der bisherige Text bleibt.</translation>
    </message>
    <message>
        <source>The context is full, so the answer ends here.</source>
        <translation>Der Kontext ist voll, darum endet die Antwort hier.</translation>
    </message>
    <message>
        <source>Go on without the oldest messages (they stay in the chat, but the model no longer sees them), start a new chat, or load the model with a longer context.</source>
        <translation>Machen Sie ohne die ältesten Nachrichten weiter (sie bleiben im Chat, aber das Modell sieht sie nicht mehr), beginnen Sie einen neuen Chat, oder laden Sie das Modell mit einem längeren Kontext.</translation>
    </message>
    <message>
        <source>This message alone is too long for the context.</source>
        <translation>Schon diese Nachricht allein ist zu lang für den Kontext.</translation>
    </message>
    <message>
        <source>Shorten it, or load the model with a longer context.</source>
        <translation>Kürzen Sie sie, oder laden Sie das Modell mit einem längeren Kontext.</translation>
    </message>
    <message>
        <source>The text has {0} tokens, but the context holds {1}.</source>
        <translation>Der Text hat {0} Tokens, aber der Kontext fasst {1}.</translation>
    </message>
    <message>
        <source>Shorten it, start a new chat, or load the model with a longer context.</source>
        <translation>Kürzen Sie ihn, beginnen Sie einen neuen Chat, oder laden Sie das Modell mit einem längeren Kontext.</translation>
    </message>
    <message>
        <source>The model changes as soon as this answer is complete.</source>
        <translation>Das Modell wechselt, sobald diese Antwort fertig ist.</translation>
    </message>
    <message>
        <source>The oldest message was left out of what the model sees: the context was full.</source>
        <translation>Die älteste Nachricht sieht das Modell nicht mehr: Der Kontext war voll.</translation>
    </message>
    <message>
        <source>The {0} oldest messages were left out of what the model sees: the context was full.</source>
        <translation>Die {0} ältesten Nachrichten sieht das Modell nicht mehr: Der Kontext war voll.</translation>
    </message>
    <message>
        <source>The engine crashed ({0}).</source>
        <translation>Die Engine ist abgestürzt ({0}).</translation>
    </message>
    <message>
        <source>The engine exited with code {0}.</source>
        <translation>Die Engine endete mit Code {0}.</translation>
    </message>
    <message>
        <source>The engine could not be started because {0}.</source>
        <translation>Die Engine konnte nicht gestartet werden ({0}).</translation>
    </message>
    <message>
        <source>The engine was ended because {0}.</source>
        <translation>Die Engine wurde beendet ({0}).</translation>
    </message>
    <message>
        <source>The engine was restarted.</source>
        <translation>Die Engine wurde neu gestartet.</translation>
    </message>
    <message>
        <source>The engine is not running.</source>
        <translation>Die Engine läuft nicht.</translation>
    </message>
    <message>
        <source>Restart it to go on.</source>
        <translation>Starten Sie sie neu, um fortzufahren.</translation>
    </message>
    <message>
        <source>There is no file &quot;{0}&quot;.</source>
        <translation>Es gibt keine Datei „{0}“.</translation>
    </message>
    <message>
        <source>Choose another file.</source>
        <translation>Wählen Sie eine andere Datei.</translation>
    </message>
    <message>
        <source>&quot;{0}&quot; is not a GGUF model, but {1}.</source>
        <translation>„{0}“ ist kein GGUF-Modell ({1}).</translation>
    </message>
    <message>
        <source>&quot;{0}&quot; is a folder, not a model.</source>
        <translation>„{0}“ ist ein Ordner, kein Modell.</translation>
    </message>
    <message>
        <source>&quot;{0}&quot; is empty (0 bytes).</source>
        <translation>„{0}“ ist leer (0 Bytes).</translation>
    </message>
    <message>
        <source>Choose a file in GGUF format.</source>
        <translation>Wählen Sie eine Datei im GGUF-Format.</translation>
    </message>
    <message>
        <source>Download it again, or choose another file.</source>
        <translation>Laden Sie sie noch einmal herunter, oder wählen Sie eine andere Datei.</translation>
    </message>
    <message>
        <source>You are not allowed to read &quot;{0}&quot;.</source>
        <translation>Sie dürfen „{0}“ nicht lesen.</translation>
    </message>
    <message>
        <source>There is not enough memory for this.</source>
        <translation>Dafür reicht der Speicher nicht.</translation>
    </message>
    <message>
        <source>There is not enough memory for a context of {0} tokens with {1}.</source>
        <translation>Für einen Kontext von {0} Tokens mit {1} reicht der Speicher nicht.</translation>
    </message>
    <message>
        <source>Close other programs, choose a shorter context or a smaller model.</source>
        <translation>Schließen Sie andere Programme, wählen Sie einen kürzeren Kontext oder ein kleineres Modell.</translation>
    </message>
    <message>
        <source>Choose a shorter context or a smaller model.</source>
        <translation>Wählen Sie einen kürzeren Kontext oder ein kleineres Modell.</translation>
    </message>
</context>
<context>
    <name>help</name>
    <message>
        <source>Report a problem…</source>
        <translation>Problem melden …</translation>
    </message>
    <message>
        <source>About Outpace</source>
        <translation>Über Outpace</translation>
    </message>
</context>
<context>
    <name>hits</name>
    <message>
        <source>{0}, downloaded {1} times</source>
        <translation>{0}, {1}-mal heruntergeladen</translation>
    </message>
</context>
<context>
    <name>library</name>
    <message>
        <source>Chat models</source>
        <translation>Chatmodelle</translation>
    </message>
    <message>
        <source>Not chat models</source>
        <translation>Keine Chatmodelle</translation>
    </message>
</context>
<context>
    <name>links</name>
    <message>
        <source>Open a link</source>
        <translation>Link öffnen</translation>
    </message>
    <message>
        <source>Write to this address?</source>
        <translation>An diese Adresse schreiben?</translation>
    </message>
    <message>
        <source>Open this page of {0} in the browser?</source>
        <translation>Diese Seite von {0} im Browser öffnen?</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Copy address</source>
        <translation>Adresse kopieren</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>offers</name>
    <message>
        <source>fits</source>
        <translation>passt</translation>
    </message>
    <message>
        <source>too large for this computer</source>
        <translation>zu groß für diesen Computer</translation>
    </message>
</context>
<context>
    <name>server</name>
    <message>
        <source>On {0}: chats leave this machine.</source>
        <translation>Auf {0}: Chats verlassen diese Maschine.</translation>
    </message>
    <message>
        <source>{0} tokens of context</source>
        <translation>{0} Tokens Kontext</translation>
    </message>
</context>
<context>
    <name>shortcuts</name>
    <message>
        <source>New chat</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>Search in this chat</source>
        <translation>In diesem Chat suchen</translation>
    </message>
    <message>
        <source>Search chats</source>
        <translation>Chats durchsuchen</translation>
    </message>
    <message>
        <source>Next chat in the list</source>
        <translation>Nächster Chat in der Liste</translation>
    </message>
    <message>
        <source>Previous chat in the list</source>
        <translation>Voriger Chat in der Liste</translation>
    </message>
    <message>
        <source>List of chats</source>
        <translation>Liste der Chats</translation>
    </message>
    <message>
        <source>Stop the answer or the load; close what is open</source>
        <translation>Antwort oder Laden anhalten; Offenes schließen</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>Schreiben</translation>
    </message>
    <message>
        <source>Answer the last question again</source>
        <translation>Letzte Frage neu beantworten</translation>
    </message>
    <message>
        <source>Let the last answer go on</source>
        <translation>Die letzte Antwort fortsetzen</translation>
    </message>
    <message>
        <source>Attach text files</source>
        <translation>Textdateien anhängen</translation>
    </message>
    <message>
        <source>Change the last question</source>
        <translation>Letzte Frage ändern</translation>
    </message>
    <message>
        <source>Copy the last answer</source>
        <translation>Letzte Antwort kopieren</translation>
    </message>
    <message>
        <source>Speculation on or off</source>
        <translation>Spekulation an oder aus</translation>
    </message>
    <message>
        <source>Lookahead: one token more</source>
        <translation>Vorausschau: ein Token mehr</translation>
    </message>
    <message>
        <source>Lookahead: one token less</source>
        <translation>Vorausschau: ein Token weniger</translation>
    </message>
    <message>
        <source>Show where tokens came from</source>
        <translation>Herkunft der Tokens zeigen</translation>
    </message>
    <message>
        <source>Side panel</source>
        <translation>Seitenleiste</translation>
    </message>
    <message>
        <source>Speculation details</source>
        <translation>Einzelheiten zur Spekulation</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Compare with and without speculation</source>
        <translation>Mit und ohne Spekulation vergleichen</translation>
    </message>
    <message>
        <source>Open a GGUF file</source>
        <translation>GGUF-Datei öffnen</translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation>Größere Schrift</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>Kleinere Schrift</translation>
    </message>
    <message>
        <source>Text in its normal size</source>
        <translation>Schrift in normaler Größe</translation>
    </message>
    <message>
        <source>All commands</source>
        <translation>Alle Befehle</translation>
    </message>
    <message>
        <source>This list</source>
        <translation>Diese Liste</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
</context>
<context>
    <name>words</name>
    <message>
        <source>{0} free of {1} memory</source>
        <translation>{0} von {1} Speicher frei</translation>
    </message>
    <message>
        <source>{0} free of {1} accelerator memory</source>
        <translation>{0} von {1} Beschleunigerspeicher frei</translation>
    </message>
    <message>
        <source>{0} free on disk</source>
        <translation>{0} auf der Platte frei</translation>
    </message>
    <message>
        <source>nothing can be put into the models folder</source>
        <translation>in den Modellordner kann nichts gelegt werden</translation>
    </message>
    <message>
        <source>{0} files</source>
        <translation>{0} Dateien</translation>
    </message>
    <message>
        <source>{0} tokens of context</source>
        <translation>{0} Tokens Kontext</translation>
    </message>
    <message>
        <source>chat template</source>
        <translation>Chatvorlage</translation>
    </message>
    <message>
        <source>no chat template</source>
        <translation>keine Chatvorlage</translation>
    </message>
    <message>
        <source>prediction heads</source>
        <translation>Vorhersageköpfe</translation>
    </message>
    <message>
        <source>keeps a running state</source>
        <translation>führt einen laufenden Zustand</translation>
    </message>
    <message>
        <source>licence {0}</source>
        <translation>Lizenz {0}</translation>
    </message>
    <message>
        <source>Made to draft for the model above; Outpace cannot use such files.</source>
        <translation>Zum Entwerfen für das Modell darüber gemacht; Outpace kann solche Dateien nicht verwenden.</translation>
    </message>
    <message>
        <source>Prediction heads; the model above has its own.</source>
        <translation>Vorhersageköpfe; das Modell darüber hat eigene.</translation>
    </message>
    <message>
        <source>Prediction heads of the model above, loaded with it.</source>
        <translation>Vorhersageköpfe des Modells darüber, mit ihm geladen.</translation>
    </message>
    <message>
        <source>Prediction heads of the model above. Put the file beside it to use them.</source>
        <translation>Vorhersageköpfe des Modells darüber. Die Datei muss daneben liegen, um sie zu verwenden.</translation>
    </message>
    <message>
        <source>Hugging Face cache</source>
        <translation>Hugging-Face-Cache</translation>
    </message>
    <message>
        <source>LM Studio</source>
        <translation>von LM Studio</translation>
    </message>
    <message>
        <source>built in</source>
        <translation>eingebaut</translation>
    </message>
    <message>
        <source>{0} s left</source>
        <translation>noch {0} s</translation>
    </message>
    <message>
        <source>{0} min left</source>
        <translation>noch {0} min</translation>
    </message>
    <message>
        <source>{0} h left</source>
        <translation>noch {0} h</translation>
    </message>
    <message>
        <source>days left</source>
        <translation>noch Tage</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>{0} von {1}</translation>
    </message>
    <message>
        <source>waiting for its turn</source>
        <translation>wartet, bis es an der Reihe ist</translation>
    </message>
    <message>
        <source>tries again soon</source>
        <translation>versucht es bald wieder</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>pausiert</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>angehalten</translation>
    </message>
    <message>
        <source>complete</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>checking</source>
        <translation>wird geprüft</translation>
    </message>
</context>
</TS>
