import type { ReactNode } from 'react'
import { Link } from 'react-router'

interface SectionProps {
  id: string
  title: string
  /** Where there is more of it. */
  more?: readonly [to: string, label: string]
  tools?: ReactNode
  children: ReactNode
}

/** A block of the dashboard under its heading. Its place in the grid is in the style sheet, by its id. */
export function Section({ id, title, more, tools, children }: SectionProps) {
  return (
    <section className="dashboard-card" data-section={id} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {tools}
        {more && (
          <Link className="sky-link" to={more[0]}>
            {more[1]}
          </Link>
        )}
      </header>
      {children}
    </section>
  )
}
