import { lazy, Suspense } from 'react'
import { useSearchParams } from 'react-router'
import { useCan } from '@/access/permissions'
import { useMessages } from '@/i18n/messages'
import { Tabs } from '@/ui/tabs'
import { partMessages } from './messages'
import { Rooms } from './rooms'

const parts = {
  rooms: { need: 'room:list', Part: Rooms },
  frames: { need: 'room:list', Part: lazy(() => import('./frames')) },
  hosts: { need: 'room:list', Part: lazy(() => import('./hosts')) },
  agents: { need: 'roomAgent:list', Part: lazy(() => import('./agents')) },
  tokens: { need: 'roomAgent:list', Part: lazy(() => import('./tokens')) },
} as const

type Part = keyof typeof parts

/** Rooms with their carrier lines, frames and hosts, and their agents. The address says which part is open. */
export default function AddressPage() {
  const m = useMessages(partMessages)
  const can = useCan()
  const [search, setSearch] = useSearchParams()
  const allowed = (Object.keys(parts) as Part[]).filter((part) => can(parts[part].need))
  const open = allowed.find((part) => part === search.get('tab')) ?? allowed[0]
  return (
    <Tabs
      {...(open && { activeKey: open })}
      destroyOnHidden
      // Filters of one list mean nothing to another.
      onChange={(tab) => setSearch({ tab }, { replace: true })}
      items={allowed.map((part) => {
        const { Part } = parts[part]
        return {
          key: part,
          label: m[part],
          children: (
            <Suspense>
              <Part />
            </Suspense>
          ),
        }
      })}
    />
  )
}
