import { type createBrowserRouter, type Path, parsePath } from 'react-router'
import { detailName } from '@/kit/list/look'

type Router = ReturnType<typeof createBrowserRouter>

/**
 * Lets no page call back who is on his way. A list writes into its address what was typed, a moment after; done while
 * something else is loaded, it would be a navigation of its own and end the one that was asked for. Who is on his way to
 * another page goes on: the list keeps what it wanted to write, and does so when it is shown again. Who opens a record of
 * the list gets both.
 */
export function letLeave<R extends Router>(router: R): R {
  const navigate = router.navigate.bind(router) as (...args: unknown[]) => Promise<void>
  const patient = (...args: unknown[]) => {
    const [to, options] = args
    const { navigation, location } = router.state
    const { pathname, search } = location
    const next = navigation.location
    const written = next && writtenInto(pathname, to, options)
    if (!next || written === undefined || isSame(written, search)) return navigate(...args)
    if (next.pathname === pathname)
      return navigate({ pathname, search: `?${merged(written, search, next.search)}` }, options)
    // Who opens a record or closes it meanwhile has changed his mind.
    return detailIn(written) === detailIn(search) ? Promise.resolve() : navigate(...args)
  }
  return Object.assign(router, { navigate: patient })
}

/** The query that a page writes into its address, which is this one; nothing, if somebody goes somewhere. */
function writtenInto(pathname: string, to: unknown, options: unknown): string | undefined {
  if ((options as { replace?: boolean } | undefined)?.replace !== true) return undefined
  const path: Partial<Path> = typeof to === 'string' ? parsePath(to) : (to as Partial<Path>)
  return (path.pathname ?? pathname) === pathname ? (path.search ?? '') : undefined
}

const isSame = (one: string, other: string) =>
  new URLSearchParams(one).toString() === new URLSearchParams(other).toString()

const detailIn = (search: string) => new URLSearchParams(search).get(detailName)

/** The query that is on its way, with what is written into the one in view. */
function merged(written: string, inView: string, next: string): URLSearchParams {
  const [before, after] = [new URLSearchParams(inView), new URLSearchParams(written)]
  const both = new URLSearchParams(next)
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const value = after.get(name)
    if (value === before.get(name)) continue
    if (value === null) both.delete(name)
    else both.set(name, value)
  }
  return both
}
