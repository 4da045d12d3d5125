import type { ReactNode } from 'react'

/** What stands where rows or a chart would be: a title, a hint, and the next thing to do. */
export function Placeholder(props: { title: ReactNode; hint?: ReactNode; action?: ReactNode }) {
  return (
    <div className="sky-placeholder">
      <div className="sky-placeholder-title">{props.title}</div>
      {props.hint && <div className="sky-placeholder-hint">{props.hint}</div>}
      {props.action}
    </div>
  )
}
