//! Tells Zed how the language server of `.vsa` files is started.

use zed_extension_api::{self as zed, Command, LanguageServerId, Result, Worktree};

struct Vsa;

impl zed::Extension for Vsa {
    fn new() -> Self {
        Vsa
    }

    fn language_server_command(&mut self, _: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let command = worktree
            .which("vsac")
            .ok_or("vsac is not on the PATH: pip install 'vsalang[lsp]'")?;
        Ok(Command { command, args: vec!["lsp".into()], env: worktree.shell_env() })
    }
}

zed::register_extension!(Vsa);
