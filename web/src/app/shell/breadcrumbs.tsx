import { Link, useLocation } from 'react-router'
import { useRoutesOfSession } from '@/access/access'
import { chainTo, type Route } from '@/access/routes'
import { useTabs } from '@/access/tabs'
import { useTitle } from '@/access/titles'
import { useLanguage } from '@/i18n/language'
import { inLanguage, useMessages } from '@/i18n/messages'
import { messages } from '../messages'

/** One crumb: its raw title, and where it leads unless it is the last or has no page of its own. */
export interface Crumb {
  key: string
  title: string
  to?: string
}

/** The crumbs of a page: the matched routes that have a title, and the thing on it that the page is of. */
export function crumbsOf(chain: readonly Route[], own?: string): Crumb[] {
  const titled = chain.filter((route) => route.title !== '')
  const crumbs = titled.map((route, at) => {
    const last = at === titled.length - 1 && own === undefined
    const base = { key: route.path + at, title: route.title }
    return last || route.noRedirect ? base : { ...base, to: route.path }
  })
  return own === undefined ? crumbs : [...crumbs, { key: 'own', title: own }]
}

export function Breadcrumbs() {
  const m = useMessages(messages)
  const routes = useRoutesOfSession()
  const title = useTitle()
  const { pathname } = useLocation()
  const own = useTabs().names[pathname]
  const language = useLanguage()
  const crumbs = crumbsOf(chainTo(routes, pathname), own && inLanguage(own, language))
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
