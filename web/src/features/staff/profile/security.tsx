import { openPasswordChange } from '@/access/password-change'
import { useMessages } from '@/i18n/messages'
import { Labels } from '@/kit/labels'
import { Button } from '@/ui/button'
import { securityMessages } from './messages'
import { OpenId } from './openid'
import { SecondFactor } from './second-factor'
import { SecurityRow } from './security-row'

/** How the person signs in: password, second factor, third-party account. */
export function SecurityPanel({ username }: { username: string }) {
  const m = useMessages(securityMessages)
  return (
    <section className="panel own-panel">
      <header>
        <h2>{m.title}</h2>
      </header>
      <Labels messages={securityMessages}>
        <SecurityRow
          title={m.password}
          hint={m.passwordHint}
          acts={
            <Button size="small" onClick={openPasswordChange}>
              {m.changePassword}
            </Button>
          }
        />
        <SecondFactor username={username} />
        <OpenId />
      </Labels>
    </section>
  )
}
