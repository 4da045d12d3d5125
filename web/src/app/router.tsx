import { createBrowserRouter, type LoaderFunctionArgs, Outlet, redirect } from 'react-router'
import { currentRoutes, loadAccess } from '@/access/access'
import { decide } from '@/access/guard'
import { loadPreferences } from '@/access/preferences'
import { clearSession, currentSession } from '@/access/session'
import { useMessages } from '@/i18n/messages'
import { words } from '@/i18n/words'
import { loadModule } from '@/kit/modules'
import { Notices } from '@/ui/notices'
import { letLeave } from './leaving'
import { screens } from './registry'
import { RouterError } from './router-error'

const loadShell = () => import('./shell/shell')

// Loading starts with the module, not after the first navigation has been judged.
if (currentSession().token !== '') {
  void loadShell()
  void loadPreferences()
}

/** Permissions are fetched in the background once per page load, so that a change takes effect without a new sign-in. */
let fresh = false

/** The guard in front of every page of the console. */
async function guard({ request }: LoaderFunctionArgs) {
  const { pathname, search } = new URL(request.url)
  // The first navigation begins while this module is evaluated; the client gets its token right after (main.tsx).
  await null
  for (;;) {
    const { token, roles } = currentSession()
    const routes = roles.length === 0 ? [] : currentRoutes()
    const decision = decide({ path: pathname, search, token, roles, routes, screens })
    if (decision.kind === 'go') return redirect(decision.to)
    if (decision.kind === 'pass') {
      // Beside the frame, which may be on its way itself.
      const { screen } = decision.route
      if (screen) void loadModule(screen.code, screen.load)
      await loadPreferences()
      refreshOnce()
      await arrive({ pathname, search })
      return null
    }
    try {
      fresh = true
      await loadAccess()
    } catch {
      // Whatever the reason, nobody without permissions gets inside.
      clearSession()
      return redirect('/login')
    }
  }
}

/** The first page of this load is there: rendered together with the frame and its rows, it is rendered once. */
let entered = false

/** Milliseconds that an address waits for its answers at most. Longer, and somebody should see that they come. */
const longestWait = 300

/** And another page for its modules: then it takes the place, and says itself that it comes, or why not. */
const longestLoad = 5_000

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/**
 * Brings the modules of an address and what its page asks for first, beside each other. The page that is left stays in
 * view meanwhile: what suspends is shown after 300 ms at the earliest (React's throttle of fallbacks).
 */
async function arrive(place: { pathname: string; search: string }) {
  const { loadCode, readFirst, isNewView } = await loadShell()
  // The browser's own address is the next one already, at the first page and when somebody goes back.
  const here = entered ? router.state.location : undefined
  const [code, answers] = [loadCode(place), readFirst(place, here)]
  entered = true
  // Before anything is in view it is the mark of the house that waits, and no longer for modules than for answers.
  if (!here) return Promise.race([Promise.all([code, answers]), pause(longestWait)])
  // A record of the list in view has no place to say that it comes: the frame does, until it is there.
  await Promise.race([code, ...(place.pathname === here.pathname ? [] : [pause(longestLoad)])])
  // Another page of a list, or another row: what is in view stays until the answer is there, and says that it waits.
  if (isNewView(place, here)) await Promise.race([answers, pause(longestWait)])
}

function refreshOnce() {
  if (fresh) return
  fresh = true
  // A refusal has already been shown, and ends the session where it must. Otherwise the guard judges again.
  loadAccess().then(
    () => router.revalidate(),
    () => undefined,
  )
}

/** Somebody who is signed in is sent away from the login page. */
function loginGuard() {
  fresh = false
  // Whoever begins to type will need the console in a moment.
  document.addEventListener('input', () => void loadShell(), { once: true })
  return currentSession().token === '' ? null : redirect('/')
}

/** The error pages are inside: without a token they lead to the login page like everything else. */
const insideGuard = () => (currentSession().token === '' ? redirect('/login') : null)

/** Pages outside the shell show notices themselves; inside, the UI provider does. */
function BarePage() {
  const m = useMessages(words)
  return (
    <>
      <Outlet />
      <Notices closeLabel={m.close} />
    </>
  )
}

/** What `index.html` shows while the scripts come, until the first page is there: the same mark, left where it is. */
const mark = document.querySelector('#root > .boot')?.innerHTML ?? ''
const Boot = () => (
  // biome-ignore lint/security/noDangerouslySetInnerHtml: it comes from our own page
  <div className="boot" role="status" dangerouslySetInnerHTML={{ __html: mark }} />
)

const page = (load: () => Promise<{ default: React.ComponentType }>) => async () => ({
  Component: (await load()).default,
})

export const router = letLeave(
  createBrowserRouter([
    {
      errorElement: <RouterError />,
      hydrateFallbackElement: <Boot />,
      children: [
        {
          element: <BarePage />,
          children: [
            { path: '/login', loader: loginGuard, lazy: page(() => import('@/features/login/page')) },
            { path: '/authredirect', lazy: page(() => import('@/features/login/auth-redirect')) },
            { path: '/401', loader: insideGuard, lazy: page(() => import('@/features/error/unauthorized')) },
            { path: '/404', loader: insideGuard, lazy: page(() => import('@/features/error/not-found')) },
          ],
        },
        { path: '/*', loader: guard, lazy: page(loadShell) },
      ],
    },
  ]),
)
