import type { Route } from './routes'

/** One row of the sidebar: a link, or a group that opens. */
export interface SidebarItem {
  key: string
  title: string
  icon: string
  /** Where a link leads. Groups have none. */
  path?: string
  children: SidebarItem[]
}

/**
 * What the sidebar shows. A route with exactly one visible child and no grandchildren is a single entry that leads to
 * parent path plus child path; anything else with children is a group, and nested children repeat the rule.
 */
export function sidebarItems(routes: readonly Route[]): SidebarItem[] {
  return routes.flatMap((route) => {
    const item = route.hidden ? undefined : itemOf(route)
    return item ? [item] : []
  })
}

function itemOf(route: Route): SidebarItem | undefined {
  const visible = route.children.filter((child) => !child.hidden && leadsSomewhere(child))
  const only = visible.length === 1 ? visible[0] : undefined
  const grandchildren = only?.children.filter((child) => !child.hidden && leadsSomewhere(child)) ?? []
  if (only && grandchildren.length === 0) {
    return { key: only.path, title: only.title, icon: only.icon || route.icon, path: only.path, children: [] }
  }
  if (visible.length > 0) {
    return { key: `group:${route.path}`, title: route.title, icon: route.icon, children: sidebarItems(visible) }
  }
  if (!route.isPage) return undefined
  return { key: route.path, title: route.title, icon: route.icon, path: route.path, children: [] }
}

/** A section whose places are all hidden would open on nothing; it is left out. */
function leadsSomewhere(route: Route): boolean {
  return route.isPage || route.children.some((child) => !child.hidden && leadsSomewhere(child))
}
