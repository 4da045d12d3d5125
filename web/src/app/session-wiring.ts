import { currentRoutes } from '@/access/access'
import { forcePasswordChange } from '@/access/password-change'
import { authorizationConfig, routeAt } from '@/access/routes'
import { currentSession, followOtherTabs } from '@/access/session'
import { leave, takeParting } from '@/access/sign-out'
import { askForProof } from '@/access/step-up'
import { connectNotices, notify } from '@/api/notices'
import { connectSession } from '@/api/session-port'
import { textsOf } from '@/i18n/messages'
import { words } from '@/i18n/words'
import { notify as show } from '@/ui/notices'
import { router } from './router'

/** Connects the API client with the session, the notices and the router. Once, at start. */
export function wireSession() {
  connectNotices(show)
  connectSession({
    token: () => currentSession().token || undefined,
    ended: ({ msg }) => leave({ tone: 'warn', text: msg }),
    openLicence: () => {
      const { path } = authorizationConfig
      if (routeAt(currentRoutes(), path)?.screen) void router.navigate(path)
    },
    changePassword: () => forcePasswordChange(),
    proveAgain: askForProof,
  })
  followOtherTabs(() => window.location.reload())

  const left = takeParting()
  if (left?.tone === 'warn') notify({ tone: 'warn', title: textsOf(words).failed, text: left.text })
  else if (left) notify({ tone: 'good', title: left.text })
}
