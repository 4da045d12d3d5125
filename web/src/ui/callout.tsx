import type { ReactNode } from 'react'
import { toneIcon } from './icons'
import type { Tone } from './tone'

/** A remark in the page: what happened and, below it, what to do. */
export function Callout(props: { tone: Tone; title: ReactNode; children?: ReactNode; action?: ReactNode }) {
  const Icon = toneIcon[props.tone]
  return (
    <div className={`sky-callout sky-tone-${props.tone}`} role={props.tone === 'bad' ? 'alert' : 'note'}>
      <Icon className="sky-callout-icon" aria-hidden />
      <div className="sky-callout-body">
        <div className="sky-callout-title">{props.title}</div>
        {props.children}
      </div>
      {props.action}
    </div>
  )
}
