-- Neovim and `vsac lsp`: errors, fixes, hover and definitions in .vsa files; indentation; and colours and folds where
-- the tree-sitter parser is on the runtime path (parser/vsa.so, queries/vsa).
-- Save it as ~/.config/nvim/plugin/vsa.lua. `vsac` must be on the PATH (pip install 'vsalang[lsp]').

vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, { pattern = "*.vsa", command = "setfiletype vsa" })

local config = { name = "vsac", cmd = { "vsac", "lsp" } }
local started -- the client's id, in Neovim 0.7, which has no vim.lsp.start

local rules = {}
local words = "define screen recognize complete top end update delete goto allow done deny confirm warn flag expect"
for word in words:gmatch("%a+") do
  rules[word] = true
end

--- The column at which line v:lnum begins.
function _G.vsa_indent()
  local before = vim.fn.prevnonblank(vim.v.lnum - 1)
  if before == 0 then
    return 0
  end
  local code = vim.fn.getline(before):gsub('"[^"]*"', '""'):gsub("//.*", ""):gsub("%s+$", "")
  local column, width = vim.fn.indent(before), vim.fn.shiftwidth()
  local word = code:match("^%s*(%a+)")
  if code:match("[{(]$") or (rules[word] and not code:match("[.}]$")) then
    column = column + width
  elseif (word == "when" or word == "with") and code:match("%.$") then
    column = column - width
  end
  if vim.fn.getline(vim.v.lnum):match("^%s*[})]") then
    column = column - width
  end
  return math.max(column, 0)
end

--- Colours and folds of tree-sitter, if its parser is there.
local function highlight(buffer)
  if vim.treesitter.start then
    vim.treesitter.start(buffer, "vsa")
  else
    vim.treesitter.highlighter.new(vim.treesitter.get_parser(buffer, "vsa"))
  end
  if vim.treesitter.foldexpr then
    vim.wo.foldmethod, vim.wo.foldexpr, vim.wo.foldlevel = "expr", "v:lua.vim.treesitter.foldexpr()", 99
  end
end

vim.api.nvim_create_autocmd("FileType", {
  pattern = "vsa",
  callback = function(event)
    local here = vim.bo[event.buf]
    here.commentstring, here.comments = "// %s", "s1:/*,mb:*,ex:*/,://"
    here.shiftwidth, here.expandtab = 2, true
    here.indentexpr, here.indentkeys = "v:lua.vsa_indent()", "0},0),!^F,o,O"
    pcall(highlight, event.buf)
    if vim.lsp.start then
      vim.lsp.start(config, { bufnr = event.buf })
    else
      started = started or vim.lsp.start_client(config)
      vim.lsp.buf_attach_client(event.buf, started)
    end
  end,
})
