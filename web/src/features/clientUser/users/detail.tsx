import { Suspense } from 'react'
import { useCan } from '@/access/permissions'
import type { DataOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { action } from '@/kit/action'
import { ChoiceLabel } from '@/kit/choices'
import { DetailDrawer } from '@/kit/detail/detail-drawer'
import { Facts } from '@/kit/detail/facts'
import { DeviceText } from '@/kit/device-text'
import { ReferenceText } from '@/kit/reference/reference-text'
import { TimeText } from '@/kit/time-text'
import { grouped } from '@/rules/format'
import { PhonesOfUser } from '../../cloudPhone/links'
import { openAppPath } from '../../platform/links'
import { clientType, clientUserStatus, loginMethod } from '../choices'
import { messages } from './messages'
import { SignIns } from './sign-ins'
import { useStatusActs } from './status'

type ClientUser = DataOf<'clientUserGet'>

interface DetailProps {
  id: number
  onEdit: (user: ClientUser) => void
  onClose: () => void
}

/** One customer: who it is, and when and from where he signed in. */
export default function ClientUserDetail({ id, onEdit, onClose }: DetailProps) {
  const m = useMessages(messages)
  const statusActs = useStatusActs()
  const can = useCan()
  const query = useApiQuery('clientUserGet', { query: { id } })
  return (
    <DetailDrawer
      messages={messages}
      query={query}
      title={(user) => user.name}
      status={(user) => <ChoiceLabel choices={clientUserStatus} value={user.status} />}
      name={(user) => user.name}
      logged={({ id }) => ({ kind: 'clientUser', id })}
      actions={(user) => [
        action(m.edit, {
          need: 'clientUser:update',
          blocked: user.status === clientUserStatus.value.loggedOut ? m.isClosed : undefined,
          run: () => onEdit(user),
        }),
        statusActs.of(user),
      ]}
      tabs={(user) => [
        { key: 'profile', label: m.profile, content: <Profile user={user} /> },
        ...(can('phone:list')
          ? [
              {
                key: 'phones',
                label: m.fields.phoneCount,
                content: (
                  <Suspense>
                    <PhonesOfUser userId={user.id} />
                  </Suspense>
                ),
              },
            ]
          : []),
        { key: 'records', label: m.records, content: <SignIns userId={user.id} /> },
      ]}
      onClose={onClose}
    />
  )
}

function Profile({ user }: { user: ClientUser }) {
  const m = useMessages(messages)
  const mayOpenApp = useCan()('openApp:list')
  return (
    <Facts
      wide={['remark']}
      of={{
        id: user.id,
        name: user.name,
        phone: user.phone,
        email: user.email,
        identCode: <span className="sky-mono">{user.identCode}</span>,
        loginMethod: <ChoiceLabel choices={loginMethod} value={user.loginMethod} />,
        clientType: <ChoiceLabel choices={clientType} value={user.clientType} />,
        clientVersion: user.clientVersion,
        deviceName: <DeviceText name={user.deviceName} />,
        registerIp: <span className="sky-mono">{user.registerIp}</span>,
        starCoins: grouped(user.starCoins),
        phoneCount: grouped(user.phoneCount),
        registeredAt: <TimeText at={user.registeredAt} />,
        lastLoginAt: <TimeText at={user.lastLoginAt} />,
        app: user.app ? (
          <ReferenceText of={user.app} to={mayOpenApp ? openAppPath(user.app.id) : undefined} />
        ) : (
          m.noApp
        ),
        remark: user.remark,
      }}
    />
  )
}
