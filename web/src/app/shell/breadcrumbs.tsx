import { Link, useLocation } from 'react-router'
import { useRoutesOfSession } from '@/access/access'
import { chainTo, type Route } from '@/access/routes'
import { useTitle } from '@/access/titles'
import { useMessages } from '@/i18n/messages'
import { messages } from '../messages'

/** One crumb: its raw title, and where it leads unless it is the last or has no page of its own. */
export interface Crumb {
  key: string
  title: string
  to?: string
}

/** The crumbs of a page: the matched routes that have a title. */
export function crumbsOf(chain: readonly Route[]): Crumb[] {
  const titled = chain.filter((route) => route.title !== '')
  return titled.map((route, at) => {
    const last = at === titled.length - 1
    const base = { key: route.path + at, title: route.title }
    return last || route.noRedirect ? base : { ...base, to: route.path }
  })
}

export function Breadcrumbs() {
  const m = useMessages(messages)
  const routes = useRoutesOfSession()
  const title = useTitle()
  const { pathname } = useLocation()
  const crumbs = crumbsOf(chainTo(routes, pathname))
  return (
    <nav className="crumbs" aria-label={m.breadcrumbs}>
      <ol>
        {crumbs.map((crumb, at) => (
          <li key={crumb.key}>
            {crumb.to ? (
              <Link to={crumb.to}>{title(crumb.title)}</Link>
            ) : (
              <span aria-current={at === crumbs.length - 1 ? 'page' : undefined}>{title(crumb.title)}</span>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}
