import type { ReactNode } from 'react'

/** One way to sign in: its state, and what can be done about it. */
export function SecurityRow(props: { title: string; state?: ReactNode; hint: ReactNode; acts?: ReactNode }) {
  return (
    <section className="own-security" aria-label={props.title}>
      <h3>
        {props.title} {props.state}
      </h3>
      <p className="sky-soft">{props.hint}</p>
      {props.acts && <div className="own-acts">{props.acts}</div>}
    </section>
  )
}
