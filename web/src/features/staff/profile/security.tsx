import type { ReactNode } from 'react'
import { openPasswordChange } from '@/access/password-change'
import { useMessages } from '@/i18n/messages'
import { Labels } from '@/kit/labels'
import { Button } from '@/ui/button'
import { securityMessages } from './messages'
import { OpenId } from './openid'
import { SecondFactor } from './second-factor'

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

/** One way to sign in: its state, and what can be done about it. */
export function SecurityRow(props: { title: string; state?: ReactNode; hint: ReactNode; acts?: ReactNode }) {
  return (
    <section className="own-security" aria-label={props.title}>
      <h3>
        {props.title} {props.state}
      </h3>
      <p className="sky-soft">{props.hint}</p>
      {props.acts && <div className="own-acts">{props.acts}</div>}
    </section>
  )
}
