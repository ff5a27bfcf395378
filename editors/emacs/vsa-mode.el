;;; vsa-mode.el --- .vsa files, with vsac lsp  -*- lexical-binding: t -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Colours, comments, indentation and an index of items.  Where eglot is there (Emacs 29, or the package eglot),
;; it starts `vsac lsp' by M-x eglot, or for each file by: (add-hook 'vsa-mode-hook #'eglot-ensure)

;;; Code:

(defconst vsa-mode-licences '("allow" "confirm" "deny" "done" "flag" "warn")
  "What says which actions are allowed.")

(defconst vsa-mode-rules
  '("complete" "define" "delete" "end" "expect" "goto" "recognize" "screen" "top" "update")
  "What begins another rule.")

(defconst vsa-mode-items
  '("action" "app" "enum" "import" "let" "list" "module" "policy" "spec" "state" "test" "view")
  "What begins an item that does not end with a full stop, or the file.")

(defconst vsa-mode-steps
  '("approve" "assume" "attempt" "claim" "clock" "delete" "finish" "given" "observe" "refuse" "step" "update")
  "What begins a step of a test.")

(defconst vsa-mode-words
  '("all" "as" "because" "before" "closed" "contains" "each" "earlier" "either" "every" "first" "for" "has" "in"
    "key" "known" "matches" "names" "no" "not" "of" "on" "or" "over" "package" "refines" "since" "subset" "then"
    "unknown" "when" "with" "within")
  "What stands between.")

(defconst vsa-mode-constants '("false" "none" "today" "true")
  "Values with a word of their own.")

(defconst vsa-mode-aggregates '("count" "max" "min" "set" "sum")
  "What makes one value of many rows.")

(defvar vsa-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?\\ "\\" table)
    (modify-syntax-entry ?_ "w" table)
    (modify-syntax-entry ?? "'" table)
    table)
  "Comments, texts and names of .vsa files.")

(defconst vsa-mode-font-lock-keywords
  (let ((begin "^[ \t]*\\(?:@[A-Za-z_()]+[ \t]+\\)*\\(?:[a-z]+ *{[ \t]*\\)?"))
    `((,(concat begin "\\(" (regexp-opt (append vsa-mode-licences vsa-mode-rules vsa-mode-items vsa-mode-steps))
                "\\)\\_>[^=<>!~:]")
       1 font-lock-keyword-face)
      ("\\(\\_<[A-Za-z_]+\\)[ \t]*\\(?:[<>!~]\\|=[^>]\\|:[^-]\\)" 1 font-lock-variable-name-face)
      ("\\?[A-Za-z_][A-Za-z0-9_]*" . font-lock-variable-name-face)
      ("@[A-Za-z_][A-Za-z0-9_]*" . font-lock-preprocessor-face)
      (,(concat (regexp-opt vsa-mode-aggregates 'symbols) "[ \t]*(") 1 font-lock-builtin-face)
      (,(regexp-opt vsa-mode-words 'symbols) . font-lock-keyword-face)
      (,(regexp-opt vsa-mode-constants 'symbols) . font-lock-constant-face)
      ("\\_<[0-9][-0-9:.]*[0-9A-Za-z]*\\_>" . font-lock-constant-face)
      ("\\_<[A-Z][A-Za-z0-9_]*" . font-lock-type-face)
      ("\\_<\\([a-z_][A-Za-z0-9_]*\\)[ \t]*(" 1 font-lock-function-name-face)))
  "Colours of `vsa-mode'.")

(defun vsa-mode--code (line)
  "LINE without what is in texts and comments."
  (string-trim
   (replace-regexp-in-string
    "//.*" "" (replace-regexp-in-string "\"\\(?:[^\"\\\\]\\|\\\\.\\)*\"" "\"\"" line))))

(defun vsa-mode-indentation ()
  "The column at which this line begins."
  (save-excursion
    (beginning-of-line)
    (let ((closes (looking-at "[ \t]*[})]")))
      (if (not (re-search-backward "^[ \t]*[^ \t\n]" nil t))
          0
        (let ((before (vsa-mode--code (buffer-substring (line-beginning-position) (line-end-position))))
              (column (current-indentation)))
          (cond ((string-match-p "[{(]\\'" before) (setq column (+ column 2)))
                ((and (string-match-p
                       (concat "\\`" (regexp-opt (append vsa-mode-licences vsa-mode-rules) t) "\\_>") before)
                      (not (string-match-p "[.}]\\'" before)))
                 (setq column (+ column 2)))
                ((string-match-p "\\`\\(?:when\\|with\\)\\_>.*\\.\\'" before) (setq column (- column 2))))
          (max 0 (if closes (- column 2) column)))))))

(defun vsa-mode-indent-line ()
  "Indent this line."
  (let ((column (vsa-mode-indentation)))
    (if (<= (current-column) (current-indentation))
        (indent-line-to column)
      (save-excursion (indent-line-to column)))))

;;;###autoload
(define-derived-mode vsa-mode prog-mode "vsa"
  "What an agent may do on a phone, as rules."
  (setq-local font-lock-defaults '(vsa-mode-font-lock-keywords))
  (setq-local comment-start "// ")
  (setq-local comment-start-skip "\\(?://+\\|/\\*+\\)[ \t]*")
  (setq-local indent-line-function #'vsa-mode-indent-line)
  (setq-local indent-tabs-mode nil)
  (setq-local tab-width 2)
  (setq-local imenu-generic-expression
              '(("Relations" "^\\(?:state\\|view\\|list\\)[ \t]+\\([A-Za-z_0-9]+\\)" 1)
                ("Actions" "^action[ \t]+\\([A-Za-z_0-9]+\\)" 1)
                ("Rules" "^\\(?:define\\|recognize\\|allow\\)[ \t]+\\([A-Za-z_0-9.]+\\)" 1)
                ("Tests" "^test[ \t]+\"\\([^\"]*\\)\"" 1))))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.vsa\\'" . vsa-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(vsa-mode . ("vsac" "lsp"))))

(provide 'vsa-mode)

;;; vsa-mode.el ends here
