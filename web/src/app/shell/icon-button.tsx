import { type ReactNode, useId } from 'react'

interface IconButtonProps {
  label: string
  /** What the tooltip says, when that is not the label. */
  tip?: string
  side?: 'start' | 'end'
  onClick: () => void
  children: ReactNode
}

/** A button of the top bar: an icon, and what it is for in a tip. */
export function IconButton({ label, tip, side = 'end', onClick, children }: IconButtonProps) {
  const id = useId()
  return (
    <span className="top-button" data-side={side}>
      <button type="button" aria-label={label} aria-describedby={tip ? id : undefined} onClick={onClick}>
        {children}
      </button>
      <span role="tooltip" id={id} className="top-tip">
        {tip ?? label}
      </span>
    </span>
  )
}
