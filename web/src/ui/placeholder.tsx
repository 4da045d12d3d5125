import type { ReactNode } from 'react'

/** Shown in place of rows or a chart: a title, a hint, and what to do next. */
export function Placeholder(props: { title: ReactNode; hint?: ReactNode; action?: ReactNode }) {
  return (
    <div className="sky-placeholder">
      <div className="sky-placeholder-title">{props.title}</div>
      {props.hint && <div className="sky-placeholder-hint">{props.hint}</div>}
      {props.action}
    </div>
  )
}
