import type { ComponentType } from 'react'
import type { PageCall } from '@/api/page-call'
import type { Pair } from '@/i18n/messages'

/** One screen that this build contains. A feature lists its own in `routes.ts`; the menu tree decides who reaches it. */
export interface Screen {
  /** The code of the screen in the catalogue: `clientUser`, `device.panel`. */
  code: string
  /** The full path, which the menu tree spells as parent path plus child path. */
  path: string
  title: Pair
  load: () => Promise<{ default: ComponentType }>
  /**
   * What the page asks for first at an address with this query: it goes out with its module instead of after it. What a
   * list and a detail begin with need not be said: the build reads it in the page (`web/screen-sources.ts`).
   */
  calls?: (search: URLSearchParams) => readonly PageCall[]
  /** Its path may have one part more, the id of one thing: that thing's page, in a tab of its own. */
  below?: boolean
  /** The page is not kept alive behind its tab. */
  noCache?: boolean
  /** Reachable, but never in the sidebar. */
  hidden?: boolean
  /** Roles that may open it, beyond what the menu tree says. None listed: open to all who have the menu. */
  roles?: readonly string[]
  /** Reachable without a menu entry: pages that belong to everybody, such as one's own profile. */
  everybody?: boolean
}

let known: readonly Screen[] = []

/** Told once at start, by the application, which screens exist. */
export function setScreens(screens: readonly Screen[]) {
  known = screens
}

export const allScreens = () => known

export const screenAt = (path: string): Screen | undefined => known.find((screen) => screen.path === path)
