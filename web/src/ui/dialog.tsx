import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import './dialog.css'

interface DialogProps {
  title: string
  /** Escape and the backdrop; undefined when the dialog must be answered. */
  onClose?: (() => void) | undefined
  role?: 'dialog' | 'alertdialog'
  width?: number
  children: ReactNode
}

/**
 * A modal dialog on the browser's own `<dialog>`: focus is kept inside, Escape closes, and the page behind is inert.
 * For the shell and the login page, which do without the UI library; pages use `Modal`.
 */
export function Dialog({ title, onClose, role = 'dialog', width = 420, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  // Closed while it is still in the document: only then does the browser give the focus back to where it was.
  useLayoutEffect(() => {
    const dialog = ref.current
    if (!dialog?.open) dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={ref}
      className="shell-dialog"
      style={{ width }}
      role={role}
      aria-labelledby={titleId}
      // Chromium obeys a refused `cancel` only once; the key itself can always be refused.
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
        event.preventDefault()
        onClose?.()
      }}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
      onClick={(event) => {
        if (event.target === ref.current) onClose?.()
      }}
    >
      <div className="shell-dialog-body">
        <h2 id={titleId}>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
