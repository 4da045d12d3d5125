import { lazy, Suspense } from 'react'
import { useSearchParams } from 'react-router'
import { useCan } from '@/access/permissions'
import { useMessages } from '@/i18n/messages'
import { Tabs } from '@/ui/tabs'
import { Apps } from './apps'
import { partMessages } from './messages'

const parts = {
  apps: { need: 'openApp:list', Part: Apps },
  calls: { need: 'openCall:list', Part: lazy(() => import('./calls')) },
} as const

type Part = keyof typeof parts

/** Applications that call the Open API, and what they called. The address says which part is open. */
export default function ThirdPartyPage() {
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
