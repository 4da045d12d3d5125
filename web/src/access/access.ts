import { create } from 'zustand'
import { request } from '@/api/client'
import { codesOf, type MenuEntry } from './menu'
import { adminRole } from './roles'
import { allowedRoutes, generateRoutes, type Route, routeAt } from './routes'
import { allScreens } from './screens'
import { currentSession, updateSession } from './session'
import { changeTabs, closeLost } from './tabs'

const store = create<{ routes: Route[]; builtFrom?: MenuEntry[] }>(() => ({ routes: [] }))

/** The routes of the person who is signed in; the component follows. */
export const useRoutesOfSession = (): Route[] => store((state) => state.routes)

/** The same outside React. Built on demand from the stored menu tree. */
export function currentRoutes(): Route[] {
  const { menuTree, roles } = currentSession()
  if (store.getState().builtFrom !== menuTree) {
    store.setState({ routes: allowedRoutes(generateRoutes(menuTree, allScreens()), roles), builtFrom: menuTree })
  }
  return store.getState().routes
}

interface UserInfo {
  roles?: string[] | null
  name?: string | null
  avatar?: string | null
  introduction?: string | null
}

/**
 * The roles of a person: the codes in his menu tree and what the server computed. Only when neither names any is the
 * single role `admin` given, as the specification says; our server always names at least `none`.
 */
export function rolesOf(tree: readonly MenuEntry[], info: UserInfo): string[] {
  const roles = new Set([...(info.roles ?? []), ...codesOf(tree)])
  return roles.size === 0 ? [adminRole] : [...roles]
}

/** Fetches who the person is and what he may open, and builds the routes. Throws when either is refused. */
export async function loadAccess(): Promise<void> {
  const { uid, groupId } = currentSession()
  const [info, tree] = await Promise.all([
    request('GET', '/api/v1.0/users/{id}/', { path: { id: uid } }),
    request('GET', '/api/user/v1/menus/tree', { query: { groupId } }),
  ])
  const user = (info.data ?? {}) as UserInfo
  const menuTree = (tree.data ?? []) as MenuEntry[]
  updateSession({
    name: user.name ?? '',
    avatar: user.avatar ?? '',
    introduction: user.introduction ?? '',
    roles: rolesOf(menuTree, user),
    menuTree,
  })
  const routes = currentRoutes()
  changeTabs((state) => closeLost(state, (path) => routeAt(routes, path) !== undefined))
}
