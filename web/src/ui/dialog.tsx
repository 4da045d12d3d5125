import { type ReactNode, useEffect, useId, useRef } from 'react'
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
  useEffect(() => {
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
      closedby={onClose ? 'closerequest' : 'none'}
      // A browser that does not know `closedby` closes upon the second Escape, whatever `onCancel` says.
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !onClose) event.preventDefault()
      }}
      onClose={({ currentTarget }) => {
        if (currentTarget.open) return
        if (onClose) onClose()
        else currentTarget.showModal()
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
