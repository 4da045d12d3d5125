import { lazy, Suspense, useState } from 'react'
import type { DataOf } from '@/api/call'
import { useApiMutation, useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { ChoiceLabel } from '@/kit/choices'
import { Facts } from '@/kit/detail/facts'
import { Labels } from '@/kit/labels'
import { Loaded } from '@/kit/loaded'
import { TimeText } from '@/kit/time-text'
import { Button } from '@/ui/button'
import { Tabs } from '@/ui/tabs'
import { accountType } from '../choices'
import { OwnActs } from '../sessions/acts'
import { SessionTable } from '../sessions/session-table'
import { SignIns } from '../sessions/sign-ins'
import { messages } from './messages'
import { SecurityPanel } from './security'
import '@/ui/page.css'
import './profile.css'

const Form = lazy(() => import('./form'))

type Profile = DataOf<'ownProfileGet'>

/** What an operator may see and change about himself. */
export default function ProfilePage() {
  const query = useApiQuery('ownProfileGet', {}, { suppressNotice: true })
  return (
    <Loaded query={query}>
      {(profile) => (
        <div className="general">
          <div className="general-columns">
            <ProfilePanel profile={profile} />
            <SecurityPanel username={profile.username} />
          </div>
          <ActivityPanel profile={profile} />
        </div>
      )}
    </Loaded>
  )
}

function ProfilePanel({ profile }: { profile: Profile }) {
  const m = useMessages(messages)
  const [isEditing, setEditing] = useState(false)
  return (
    <section className="panel own-panel">
      <header>
        <h2>{m.title}</h2>
        <Button size="small" onClick={() => setEditing(true)}>
          {m.edit}
        </Button>
      </header>
      <Labels messages={messages}>
        <Facts
          of={{
            username: profile.username,
            accountType: <ChoiceLabel choices={accountType} value={profile.accountType} />,
            group: profile.group?.name ?? m.noGroup,
            email: profile.email,
            phone: profile.phone,
            lastSignInAt: <TimeText at={profile.lastSignInAt} />,
            lastSignInIp: profile.lastSignInIp && <span className="sky-mono">{profile.lastSignInIp}</span>,
            createdAt: <TimeText at={profile.createdAt} />,
            remark: profile.remark,
          }}
        />
      </Labels>
      <Suspense>{isEditing && <Form profile={profile} onClose={() => setEditing(false)} />}</Suspense>
    </section>
  )
}

function ActivityPanel({ profile }: { profile: Profile }) {
  const m = useMessages(messages)
  return (
    <section className="panel own-activity" aria-label={m.activity}>
      <Tabs
        className="kit-tabs"
        items={[
          { key: 'sessions', label: m.sessions, children: <OwnSessions /> },
          { key: 'signIns', label: m.signIns, children: <SignIns userId={profile.id} /> },
          { key: 'acts', label: m.acts, children: <OwnActs operatorId={profile.id} /> },
        ]}
      />
    </section>
  )
}

function OwnSessions() {
  const query = useApiQuery('ownSessionList', {}, { suppressNotice: true })
  const end = useApiMutation('ownSessionEnd', { refresh: ['ownSessionList'] })
  return <SessionTable query={query} onEnd={(id) => end.mutateAsync({ path: { id } })} />
}
