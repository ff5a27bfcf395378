// Starts `vsac lsp` for .vsa files, and starts it again when the user asks or its settings change.

import { commands, type ExtensionContext, type LogOutputChannel, window, workspace } from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';

let client: LanguageClient | undefined;
let output: LogOutputChannel | undefined;

/** Make a client of the server that the settings name. */
function made(output: LogOutputChannel): LanguageClient {
  const settings = workspace.getConfiguration('vsa');
  return new LanguageClient(
    'vsa',
    'vsalang',
    { command: settings.get('server.path', 'vsac'), args: settings.get('server.arguments', ['lsp']) },
    {
      documentSelector: [{ language: 'vsa', scheme: 'file' }, { language: 'vsa', scheme: 'untitled' }],
      outputChannel: output,
      synchronize: { fileEvents: workspace.createFileSystemWatcher('**/{*.vsa,vsac.toml}') },
    },
  );
}

/** Start the server; tell the user what to do if it does not start. */
async function start(): Promise<void> {
  output ??= window.createOutputChannel('vsalang', { log: true });
  client = made(output);
  try {
    await client.start();
  } catch (problem) {
    void explain(problem);
  }
}

async function explain(problem: unknown): Promise<void> {
  const settings = 'Open the settings';
  const answer = await window.showErrorMessage(
    `The language server of vsalang did not start (${problem}). ` +
      "Install it with: pip install 'vsalang[lsp]', or set vsa.server.path to the program vsac.",
    settings,
  );
  if (answer === settings) {
    await commands.executeCommand('workbench.action.openSettings', 'vsa.server');
  }
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  if (running?.isRunning()) {
    await running.dispose();
  }
}

let work: Promise<void> = Promise.resolve();

/** Start the server again, when what is under way has ended: a client that is starting cannot be stopped. */
function restart(): Promise<void> {
  work = work.then(stop).then(start);
  return work;
}

export function activate(context: ExtensionContext): void {
  context.subscriptions.push(
    commands.registerCommand('vsa.restartServer', restart),
    commands.registerCommand('vsa.showOutput', () => output?.show()),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('vsa.server')) {
        void restart();
      }
    }),
  );
  void restart();
}

export async function deactivate(): Promise<void> {
  await work;
  await stop();
  output?.dispose();
}
