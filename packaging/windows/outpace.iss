; Inno Setup 6. Run by `python3 packaging/dev.py package installer`, which passes Version, Bundle and Root.
; For one person and without administrator rights, unless that person chooses otherwise.

#ifndef Version
  #error Version, Bundle and Root come from packaging/release/desktop_systems.py
#endif

[Setup]
; Never change this: by it an installation recognises an older one.
AppId={{7D3C2C63-2B0B-4D0C-9A3E-6C7E1A5B8F21}
AppName=Outpace
AppVersion={#Version}
AppVerName=Outpace {#Version}
AppPublisher=The Outpace developers
VersionInfoVersion={#Version}
DefaultDirName={autopf}\Outpace
DefaultGroupName=Outpace
DisableProgramGroupPage=yes
DisableDirPage=auto
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
MinVersion=10.0.17763
LicenseFile={#Root}\LICENSE
SetupIconFile={#Root}\build\icons\outpace.ico
UninstallDisplayIcon={app}\outpace.exe
UninstallDisplayName=Outpace
Compression=lzma2/max
SolidCompression=yes
WizardStyle=modern
ChangesAssociations=yes
; A running window holds its files; it is asked to close.
CloseApplications=yes
RestartApplications=no

[Languages]
Name: "en"; MessagesFile: "compiler:Default.isl"
Name: "de"; MessagesFile: "compiler:Languages\German.isl"

[Tasks]
Name: "desktopicon"; Description: "{cm:CreateDesktopIcon}"; GroupDescription: "{cm:AdditionalIcons}"; Flags: unchecked
Name: "association"; Description: "{cm:AssocFileExtension,Outpace,.gguf}"

[InstallDelete]
; What the version before had and this one has not. Chats and models lie elsewhere.
Type: filesandordirs; Name: "{app}\_internal"

[Files]
Source: "{#Bundle}\*"; DestDir: "{app}"; Flags: ignoreversion recursesubdirs createallsubdirs
Source: "{#Root}\packaging\windows\outpace-cli.cmd"; DestDir: "{app}"; Flags: ignoreversion

[Icons]
Name: "{group}\Outpace"; Filename: "{app}\outpace.exe"
Name: "{autodesktop}\Outpace"; Filename: "{app}\outpace.exe"; Tasks: desktopicon

[Registry]
Root: HKA; Subkey: "Software\Classes\.gguf\OpenWithProgids"; ValueType: string; ValueName: "Outpace.gguf"; ValueData: ""; Flags: uninsdeletevalue; Tasks: association
Root: HKA; Subkey: "Software\Classes\Outpace.gguf"; ValueType: string; ValueData: "GGUF model"; Flags: uninsdeletekey; Tasks: association
Root: HKA; Subkey: "Software\Classes\Outpace.gguf\DefaultIcon"; ValueType: string; ValueData: "{app}\outpace.exe,0"; Tasks: association
Root: HKA; Subkey: "Software\Classes\Outpace.gguf\shell\open\command"; ValueType: string; ValueData: """{app}\outpace.exe"" ""%1"""; Tasks: association

[Run]
Filename: "{app}\outpace.exe"; Description: "{cm:LaunchProgram,Outpace}"; Flags: nowait postinstall skipifsilent
