;;; user.el --- What tests do with Emacs as a person would  -*- lexical-binding: t -*-

;; `-Q' hides the packages of the distribution.
(require 'package)
(add-to-list 'package-directory-list "/usr/share/emacs/site-lisp/elpa")
(package-initialize)
(require 'cl-lib)
(require 'json)

(setq make-backup-files nil
      auto-save-default nil
      create-lockfiles nil
      load-prefer-newer t)

(defconst user-seconds 30 "How long anything may take.")

(defun user-play (script)
  "Visit $FILE, then write the value of SCRIPT, or what went wrong, to $RESULT as JSON."
  (let* ((played (condition-case failure
                     (progn (find-file (getenv "FILE"))
                            (list (cons 'result (funcall script))))
                   (error (list (cons 'failure (error-message-string failure))))))
         (coding-system-for-write 'utf-8))
    (write-region (json-encode played) nil (getenv "RESULT"))
    (kill-emacs 0)))

(defun user-await (what condition)
  "Return the first value of CONDITION that is not nil; WHAT names it in the failure."
  (let ((end (+ (float-time) user-seconds)) value)
    (while (not (setq value (funcall condition)))
      (when (> (float-time) end)
        (error "Waited %d s in vain for %s" user-seconds what))
      (accept-process-output nil 0.02))
    value))

(defun user-go-to (text)
  "Put point on the first character of the first TEXT."
  (goto-char (point-min))
  (search-forward text)
  (goto-char (match-beginning 0)))

(defun user-text ()
  "The text of this buffer."
  (buffer-substring-no-properties (point-min) (point-max)))

(defmacro user-choosing (pattern &rest body)
  "Run BODY; where it has a person choose, take what matches PATTERN."
  (declare (indent 1))
  `(cl-letf (((symbol-function 'completing-read)
              (lambda (_prompt choices &rest _)
                (let ((titles (mapcar (lambda (choice) (if (consp choice) (car choice) choice)) choices)))
                  (or (cl-find-if (lambda (title) (string-match-p ,pattern title)) titles)
                      (error "No choice %s among %S" ,pattern titles))))))
     ,@body))

;;; user.el ends here
