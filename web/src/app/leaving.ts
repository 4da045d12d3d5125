import type { createBrowserRouter } from 'react-router'

type Router = ReturnType<typeof createBrowserRouter>

/**
 * Lets no page call back who is on his way to another one. A list writes into its address what was typed, a moment
 * after; done while the next page is loaded, it would be a navigation of its own and end the one that was asked for.
 * The page keeps what it wanted to write, and does so when it is shown again.
 */
export function letLeave<R extends Router>(router: R): R {
  const navigate = router.navigate.bind(router) as (...args: unknown[]) => Promise<void>
  const isLeaving = () => {
    const { navigation, location } = router.state
    return navigation.location !== undefined && navigation.location.pathname !== location.pathname
  }
  const patient = (...args: unknown[]) => {
    const [to, options] = args as [unknown, { replace?: boolean } | undefined]
    const isOwnAddress = typeof to === 'string' && to.startsWith('?') && options?.replace === true
    return isOwnAddress && isLeaving() ? Promise.resolve() : navigate(...args)
  }
  return Object.assign(router, { navigate: patient })
}
