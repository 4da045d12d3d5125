import { sources } from 'virtual:screen-sources'
import { currentRoutes } from '@/access/access'
import { routeAt } from '@/access/routes'
import { operations } from '@/api/operations'
import type { PageCall } from '@/api/page-call'
import { readAhead } from '@/api/query'
import { loadHabits } from '@/kit/list/habit'
import { detailName } from '@/kit/list/look'
import { loadModule } from '@/kit/modules'
import { firstCalls, type Place, thingAt } from './first-calls'

/** What the page of an address asks for first. Where that cannot be told, the page asks when it comes, and says what is wrong. */
function callsAt(place: Place): PageCall[] {
  const route = routeAt(currentRoutes(), place.pathname)
  if (!route?.screen) return []
  const known = { ...sources[route.screen.code], calls: route.screen.calls }
  try {
    return firstCalls(known, route, place, { operations, habits: loadHabits(), windowHeight: window.innerHeight })
  } catch {
    return []
  }
}

/** Begins to load the modules that the page of an address is made of. */
export function loadCode(place: Place): Promise<unknown> {
  const route = routeAt(currentRoutes(), place.pathname)
  if (!route?.screen) return Promise.resolve()
  const { code, load } = route.screen
  const detail = thingAt(route, place) ? sources[code]?.detail : undefined
  return Promise.all([loadModule(code, load), ...(detail ? [loadModule(detail.operation, detail.load)] : [])])
}

/**
 * Begins to read what the page of an address asks for first, less what the page in view, which is `here`, has read
 * already. It waits for what has no older answer.
 */
export function readFirst(place: Place, here: Place | undefined): Promise<unknown> {
  const read = new Set(here?.pathname === place.pathname ? callsAt(here).map(keyOf) : [])
  return Promise.all(callsAt(place).flatMap((call) => (read.has(keyOf(call)) ? [] : [readAhead(call)])))
}

/** Whether an address shows what is not in view yet: another page, or a detail where none is open. */
export function isNewView(place: Place, here: Place): boolean {
  const isOpen = ({ search }: Place) => new URLSearchParams(search).has(detailName)
  return place.pathname !== here.pathname || (isOpen(place) && !isOpen(here))
}

const keyOf = (call: PageCall) => JSON.stringify(call)

/** Milliseconds after which a pointer is no longer on its way to somewhere else. */
const rest = 50

let waiting: ReturnType<typeof setTimeout> | undefined

/** What happened in the shell, of all that React and the browser say about it. */
interface Happening {
  type: string
  target: EventTarget
  /** The key, if it was one. */
  key?: string
}

/**
 * Hears of the pointer, of presses and of the Tab key anywhere in the shell. Who points at a link to one of our pages has
 * its modules on the way at once; what it asks for follows when they stay there, or press. A link that is given the focus
 * without a key is no wish: a drawer that closes gives it back.
 */
export function prepare({ target, type, key }: Happening) {
  if (type === 'keyup' && key !== 'Tab') return
  clearTimeout(waiting)
  const link = target instanceof Element ? target.closest('a') : null
  if (!link?.href || link.origin !== window.location.origin || link.target) return
  void loadCode(link)
  const read = () => void readFirst(link, window.location)
  if (type === 'pointerdown') read()
  else waiting = setTimeout(read, rest)
}
