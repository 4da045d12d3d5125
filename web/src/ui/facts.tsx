import type { ReactNode } from 'react'

/** One labelled value of a thing. */
export interface Fact {
  key: string
  label: ReactNode
  value: ReactNode
  /** Takes the whole row: for long text. */
  wide?: boolean
}

/** Labels and values in two columns, as a description list. */
export function FactList({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="sky-facts">
      {facts.map((fact) => (
        <div key={fact.key} className={fact.wide ? 'sky-fact sky-fact-wide' : 'sky-fact'}>
          <dt>{fact.label}</dt>
          <dd>{fact.value ?? '—'}</dd>
        </div>
      ))}
    </dl>
  )
}
