import './states.css'
import type { ReactNode } from 'react'
import { type State, stateLooks } from './states'

/** The sign of a state in its colour, 16 px. It says nothing to a reader: the word stands beside it. */
export function StateChip({ state }: { state: State }) {
  const { token, sign } = stateLooks[state]
  const line = state === 'unknown' ? { boxShadow: 'inset 0 0 0 1px var(--st-unk-line)' } : {}
  return (
    <span
      className="sky-state-chip"
      // Many fonts draw a circle as wide as a Chinese character.
      data-round={state === 'idle' || state === 'inUse' || undefined}
      style={{ background: `var(--st-${token})`, color: `var(--st-${token}-ink)`, ...line }}
      aria-hidden
    >
      {sign}
    </span>
  )
}

/** A state in a table or among facts: its sign and its word. */
export function StateLabel({ state, children }: { state: State; children: ReactNode }) {
  return (
    <span className="sky-state">
      <StateChip state={state} />
      {children}
    </span>
  )
}
