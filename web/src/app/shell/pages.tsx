import { Activity, Component, type ReactNode, Suspense, useEffect, useMemo } from 'react'
import { type Location, Route as RouterRoute, Routes, useLocation } from 'react-router'
import { useRoutesOfSession } from '@/access/access'
import { type Route, routeAt } from '@/access/routes'
import type { Screen } from '@/access/screens'
import { changeTabs, useTabs, type Visit, visit } from '@/access/tabs'
import { useTitle } from '@/access/titles'
import { useLanguage } from '@/i18n/language'
import { inLanguage, useMessages } from '@/i18n/messages'
import { componentOf, retryModules } from '@/kit/modules'
import { Skeleton } from '@/ui/skeleton'
import { messages } from '../messages'

/** What is rendered: every cached visited page, of which one is visible. */
interface View {
  path: string
  route: Route
  location: Location
}

function viewOf(seen: Visit, route: Route, current: Location): View {
  // A hidden page keeps the address it was left with; otherwise it would react to the address of its successor.
  const { path, search, hash } = seen
  const location = path === current.pathname ? current : { pathname: path, search, hash, state: null, key: path }
  return { path, route, location: location as Location }
}

/** Shows the page of the address. Pages behind other tabs stay alive, hidden, unless their route says noCache. */
export function Pages() {
  const location = useLocation()
  const routes = useRoutesOfSession()
  const { visits, cached, names } = useTabs()
  const language = useLanguage()
  const title = useTitle()
  const active = routeAt(routes, location.pathname)

  // Visiting a page is something that happens, not something that can be derived: the tab stays when the page goes.
  useEffect(() => {
    if (!active) return
    const { name, title, noCache } = active
    const { pathname: path, search, hash } = location
    changeTabs((state) => visit(state, { name, path, title, search, hash, noCache }))
  }, [active, location])

  const own = names[location.pathname]
  const heading = own ? inLanguage(own, language) : active ? title(active.title) : ''
  // The browser's own tab is outside React.
  useEffect(() => {
    document.title = heading ? `${heading} - Skyrack` : 'Skyrack'
  }, [heading])

  const views = useMemo(() => {
    const list = visits.flatMap((seen) => {
      const route = routeAt(routes, seen.path)
      const shown = seen.path === location.pathname
      return route && (shown || cached.includes(seen.name)) ? [viewOf(seen, route, location)] : []
    })
    const missing = active && !list.some((view) => view.path === location.pathname)
    return missing ? [...list, { path: location.pathname, route: active, location }] : list
  }, [visits, cached, routes, location, active])

  return (
    <>
      <h1 className="visually-hidden">{heading}</h1>
      {views.map((view) => (
        <Activity key={view.path} mode={view.path === location.pathname ? 'visible' : 'hidden'}>
          <div className="page" data-path={view.path}>
            <Page view={view} />
          </div>
        </Activity>
      ))}
    </>
  )
}

function Page({ view }: { view: View }) {
  const { screen } = view.route
  if (!screen) return <MissingPage />
  return (
    <PageBoundary key={view.path}>
      <Suspense fallback={<PageComing />}>
        <Routes location={view.location}>
          <RouterRoute path="*" element={<Content screen={screen} />} />
        </Routes>
      </Suspense>
    </PageBoundary>
  )
}

/** The page itself; looked up within its boundary, so that another try finds another module than the one that failed. */
function Content({ screen }: { screen: Screen }) {
  const Found = componentOf(screen.code, screen.load)
  return <Found />
}

/** A page whose module is still on its way. */
function PageComing() {
  const m = useMessages(messages)
  return (
    <div className="page-loading">
      <Skeleton label={m.loading} />
    </div>
  )
}

/** The menu names a page that this version of the console does not have. */
function MissingPage() {
  const m = useMessages(messages)
  return (
    <div className="page-broken">
      <h2>{m.pageMissing}</h2>
      <p>{m.pageMissingHint}</p>
    </div>
  )
}

/** Keeps one broken page from taking the console with it. React reports the error to the log (see `main.tsx`). */
class PageBoundary extends Component<{ children: ReactNode }, { broken: boolean }> {
  override state = { broken: false }

  static getDerivedStateFromError() {
    return { broken: true }
  }

  override render() {
    if (!this.state.broken) return this.props.children
    const retry = () => {
      retryModules()
      this.setState({ broken: false })
    }
    return <BrokenPage onRetry={retry} />
  }
}

function BrokenPage({ onRetry }: { onRetry: () => void }) {
  const m = useMessages(messages)
  return (
    <div className="page-broken" role="alert">
      <h2>{m.pageBroken}</h2>
      <p>{m.pageBrokenHint}</p>
      <button type="button" className="plain-button" data-primary onClick={onRetry}>
        {m.retry}
      </button>
    </div>
  )
}
