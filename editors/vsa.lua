-- Neovim and `vsac lsp`: errors, fixes, hover and definitions in .vsa files.
-- Save it as ~/.config/nvim/plugin/vsa.lua. `vsac` must be on the PATH (pip install 'vsalang[lsp]').

vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, { pattern = "*.vsa", command = "setfiletype vsa" })

local config = { name = "vsac", cmd = { "vsac", "lsp" } }
local started -- the client's id, in Neovim 0.7, which has no vim.lsp.start

vim.api.nvim_create_autocmd("FileType", {
  pattern = "vsa",
  callback = function(event)
    vim.bo[event.buf].commentstring = "// %s"
    if vim.lsp.start then
      vim.lsp.start(config, { bufnr = event.buf })
    else
      started = started or vim.lsp.start_client(config)
      vim.lsp.buf_attach_client(event.buf, started)
    end
  end,
})
