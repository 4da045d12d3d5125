import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { screenSources } from '../../screen-sources'
import type { Screen } from '../../src/access/screens'
import type { MenuEntry } from './api'

const features = resolve(import.meta.dirname, '../../src/features')

/**
 * Every screen of this build, from where somebody adds one: what is tested has to be known before a server runs. That
 * the server's menu has the same ones is a test of its own.
 */
async function built(): Promise<Screen[]> {
  const files = readdirSync(features).map((folder) => join(features, folder, 'routes.ts'))
  const routes = files.filter(existsSync).map((file) => import(file) as Promise<{ screens: Screen[] }>)
  return (await Promise.all(routes)).flatMap(({ screens }) => screens)
}

export const screens = await built()

/** The codes of the screens that are one list, whose rows have a detail. */
export const withDetail = new Set(screenSources().flatMap(({ code, list, detail }) => (list && detail ? [code] : [])))

/** Few enough for one visit: pages stay alive behind their tabs, so that each one slows all later ones. */
const inOneVisit = 6

/** The screens, in the groups that are walked through in one visit. */
export const walks = screens.flatMap((_, at) => (at % inOneVisit === 0 ? [screens.slice(at, at + inOneVisit)] : []))

function joinPath(parent: string, child: string): string {
  const joined = `/${parent}/${child}`.replace(/\/{2,}/g, '/')
  return child.startsWith(parent) && parent !== '/' ? child : joined.replace(/(.)\/$/, '$1')
}

/** The address of every screen of a menu tree that is shown. */
export const addresses = (tree: MenuEntry[]): string[] =>
  tree.flatMap((section) =>
    (section.children ?? []).filter(({ visible }) => visible).map((screen) => joinPath(section.path, screen.path)),
  )
