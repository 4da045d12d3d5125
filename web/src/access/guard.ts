import { isBelow, mayOpen, movedPath, type Route, routeAt, routeOfScreen } from './routes'
import type { Screen } from './screens'

/** What the guard knows about a navigation. */
export interface GuardView {
  path: string
  /** The query, kept across signing in. */
  search?: string
  token: string
  roles: readonly string[]
  /** The routes of this person; empty until the roles are known. */
  routes: readonly Route[]
  /** Every screen of this build, to tell "not yours" from "no such page". */
  screens: readonly Screen[]
}

/** What the guard says: come in, fetch the rights first and ask again, or go elsewhere. */
export type Decision = { kind: 'pass'; route: Route } | { kind: 'load' } | { kind: 'go'; to: string }

/** The first page: the list of client users, or the first page of somebody who may not open it. */
export const homePath = '/clientUser'

/** Decides about one navigation inside the console. */
export function decide({ path, search = '', token, roles, routes, screens }: GuardView): Decision {
  if (token === '') return { kind: 'go', to: loginFrom(path + search) }
  if (roles.length === 0) return { kind: 'load' }
  if (path === '/') return { kind: 'go', to: homeOf(routes) }
  const route = routeAt(routes, path)
  if (route) return mayOpen(route, roles) ? { kind: 'pass', route } : { kind: 'go', to: '/401' }
  // Links in the console and bookmarks know the path that a page was built with.
  const moved = movedPath(routes, path)
  if (moved) return { kind: 'go', to: moved + search }
  const isKnown = screens.some((screen) => screen.path === path || (screen.below && isBelow(screen.path, path)))
  return { kind: 'go', to: isKnown ? '/401' : '/404' }
}

const loginFrom = (target: string) => (target === '/' ? '/login' : `/login?redirect=${encodeURIComponent(target)}`)

/** Where `/` leads this person. */
export function homeOf(routes: readonly Route[]): string {
  return routeOfScreen(routes, homePath)?.path ?? firstPage(routes) ?? '/401'
}

function firstPage(routes: readonly Route[]): string | undefined {
  for (const route of routes) {
    if (route.hidden) continue
    if (route.screen) return route.path
    const below = firstPage(route.children)
    if (below) return below
  }
  return undefined
}

/** A place on this site to go to after signing in; anything else becomes home. */
export function safeRedirect(target: string | null): string {
  return target && /^\/(?![/\\])/.test(target) ? target : '/'
}
