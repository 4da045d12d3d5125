import { joinPath, type MenuEntry } from './menu'
import { adminRole } from './roles'
import type { Screen } from './screens'

/** The button-permission level that every route carries. */
export const buttonLevel = '2'

/** One place that the person may open, or a section that groups them. Built after signing in, from the menu tree. */
export interface Route {
  /** Full path. */
  path: string
  /** Route name: the code of its screen, or the entry's raw name. */
  name: string
  /** Raw title. Translated where a key exists. */
  title: string
  icon: string
  hidden: boolean
  /** A section without a page of its own: its breadcrumb is not a link. */
  noRedirect: boolean
  noCache: boolean
  buttonPermission: string
  /** Who may open it. Undefined: open to all. */
  roles?: readonly string[]
  /** A place to go to, and not only a section of places. */
  isPage: boolean
  /** What it shows. A menu entry may name a page that this version does not have. */
  screen?: Screen
  children: Route[]
}

/** The menu entry behind which the licence is activated, and its hidden sub-route. */
const authorizationPath = '/licence/statistics'
export const authorizationConfig = { path: `${authorizationPath}/authorize`, name: 'authorizationConfig' }

/** Finds the page of a menu entry. */
type PageOf = (entry: MenuEntry, path: string, level: number) => Screen | undefined

/** Builds the routes of a menu tree: sections become parents, their children sub-routes titled by their names. */
export function generateRoutes(tree: readonly MenuEntry[], screens: readonly Screen[]): Route[] {
  const routes = tree.map((entry) => routeOf(entry, '/', pagesOf(tree, screens)))
  const everybody = screens.filter((screen) => screen.everybody && !routeOfScreen(routes, screen.path))
  return [...routes, ...everybody.map((screen) => screenRoute(screen, screen.path, true))]
}

/**
 * A page is found by the code of its entry, so that it stays when the entry moves to another section, and else by the path.
 * A section takes a page by its path only when no entry is that page: its first screen may have moved away.
 */
function pagesOf(tree: readonly MenuEntry[], screens: readonly Screen[]): PageOf {
  const byCode = new Map(screens.map((screen) => [screen.code, screen]))
  const byPath = new Map(screens.map((screen) => [screen.path, screen]))
  const placed = new Set(tree.flatMap((section) => (section.children ?? []).map(({ code }) => code)))
  return (entry, path, level) => {
    const screen = byCode.get(entry.code ?? '') ?? byPath.get(path)
    return level === 1 && placed.has(screen?.code) ? undefined : screen
  }
}

function routeOf(entry: MenuEntry, parent: string, pageOf: PageOf, level = 1): Route {
  const path = joinPath(parent, entry.path ?? '')
  // The third level holds acts: codes without a path. A path there is a place nested more deeply.
  const places = (entry.children ?? []).filter((child) => level === 1 || child.path)
  const children = places.map((child) => routeOf(child, path, pageOf, level + 1))
  const screen = pageOf(entry, path, level)
  if (path === authorizationPath || screen?.path === authorizationPath) children.push(authorizeRoute(path, pageOf))
  // A section may share its path with its first screen (`/clientUser`); then the child is the page.
  const ownPage = screen !== undefined && !children.some((child) => child.path === path)
  // A section without places is no place itself: it waits for its first one.
  const isLeaf = places.length === 0 && level > 1
  const isPage = ownPage || isLeaf
  return {
    path,
    name: (ownPage ? screen?.code : undefined) ?? entry.name,
    title: entry.name,
    icon: entry.icon ?? '',
    hidden: entry.visible === false || (ownPage && screen?.hidden === true),
    noRedirect: !isPage,
    isPage,
    noCache: ownPage && screen?.noCache === true,
    buttonPermission: buttonLevel,
    ...(ownPage && screen?.roles ? { roles: screen.roles } : {}),
    ...(ownPage && screen ? { screen } : {}),
    children,
  }
}

function screenRoute(screen: Screen, path: string, hidden: boolean): Route {
  return {
    path,
    name: screen.code,
    title: screen.code,
    icon: '',
    hidden,
    noRedirect: false,
    isPage: true,
    noCache: screen.noCache === true,
    buttonPermission: buttonLevel,
    ...(screen.roles ? { roles: screen.roles } : {}),
    screen,
    children: [],
  }
}

function authorizeRoute(above: string, pageOf: PageOf): Route {
  const { name } = authorizationConfig
  const path = `${above}/authorize`
  const screen = pageOf({ name }, authorizationConfig.path, 3)
  const base = { path, name, title: name, icon: '', hidden: true, noRedirect: false, noCache: false }
  const isPage = screen !== undefined
  return { ...base, isPage, buttonPermission: buttonLevel, ...(screen ? { screen } : {}), children: [] }
}

/** Keeps what the roles may open: everything for the admin, else what lists one of them or lists nothing. */
export function allowedRoutes(routes: readonly Route[], roles: readonly string[]): Route[] {
  if (roles.includes(adminRole)) return [...routes]
  return routes
    .filter((route) => mayOpen(route, roles))
    .map((route) => ({ ...route, children: allowedRoutes(route.children, roles) }))
}

/** Whether the roles open a route. */
export function mayOpen(route: Pick<Route, 'roles'>, roles: readonly string[]): boolean {
  return roles.includes(adminRole) || !route.roles || route.roles.some((role) => roles.includes(role))
}

/** The page at a path, wherever in the tree. */
export function routeAt(routes: readonly Route[], path: string): Route | undefined {
  return chainTo(routes, path).at(-1)
}

/** Whether a path has one part more than another: it names one thing there. */
export const isBelow = (above: string, path: string) =>
  path.startsWith(`${above}/`) && /^[^/]+$/.test(path.slice(above.length + 1))

/** The page that this build keeps at a path, wherever in the menu it was moved to. */
export function routeOfScreen(routes: readonly Route[], path: string): Route | undefined {
  return routeAt(routes, path) ?? allPages(routes).find(({ route }) => route.screen?.path === path)?.route
}

/** Where a path that this build knows leads now, if its screen was moved in the menu. */
export function movedPath(routes: readonly Route[], path: string): string | undefined {
  const moved = routeOfScreen(routes, path)
  if (moved) return moved.path
  const last = path.lastIndexOf('/')
  const above = routeOfScreen(routes, path.slice(0, last))
  return above?.screen?.below ? above.path + path.slice(last) : undefined
}

/** The routes from the section down to the page at a path; empty when there is no such page. */
export function chainTo(routes: readonly Route[], path: string): Route[] {
  const exact = chainThat(routes, (route) => route.path === path)
  // A page of its own comes before a thing that has its name.
  return exact.length > 0
    ? exact
    : chainThat(routes, ({ path: above, screen }) => !!screen?.below && isBelow(above, path))
}

function chainThat(routes: readonly Route[], isMeant: (route: Route) => boolean): Route[] {
  for (const route of routes) {
    const below = chainThat(route.children, isMeant)
    if (below.length > 0) return [route, ...below]
    if (route.isPage && isMeant(route)) return [route]
  }
  return []
}

/** Every page, in menu order, with the sections above it. */
export function allPages(routes: readonly Route[], above: readonly Route[] = []): { route: Route; above: Route[] }[] {
  return routes.flatMap((route) => [
    ...(route.isPage ? [{ route, above: [...above] }] : []),
    ...allPages(route.children, [...above, route]),
  ])
}
