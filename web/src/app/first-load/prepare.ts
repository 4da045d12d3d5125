import { currentRoutes } from '@/access/access'
import { routeAt } from '@/access/routes'
import { repeatCalls } from './recorded-calls'
import { loadScreen } from './screen-modules'

/** Milliseconds after which a pointer is no longer on its way to another entry. */
const rest = 50

let waiting: ReturnType<typeof setTimeout> | undefined

/** Somebody points at the entry of a page: its module comes now, and what it asks for first if they stay there. */
export function prepare(path: string) {
  const screen = routeAt(currentRoutes(), path)?.screen
  if (!screen) return
  void loadScreen(screen)
  clearTimeout(waiting)
  // The page in front of them has asked.
  if (path !== window.location.pathname) waiting = setTimeout(() => void repeatCalls(path), rest)
}

/** They have gone elsewhere. */
export const leaveUnprepared = () => clearTimeout(waiting)
