import { type ComponentType, type LazyExoticComponent, Suspense } from 'react'
import { useSearchParams } from 'react-router'
import { useCan } from '@/access/permissions'
import type { Code } from '@/api/codes'
import { Tabs } from '@/ui/tabs'

interface Part {
  /** The permission code; without it the part is not there. */
  need: Code
  Part: ComponentType | LazyExoticComponent<ComponentType>
}

interface PartTabsProps<K extends string> {
  parts: Readonly<Record<K, Part>>
  labels: Readonly<Record<K, string>>
}

/** The parts of a page that an operator may see, as tabs. The address says which one is open. */
export function PartTabs<K extends string>({ parts, labels }: PartTabsProps<K>) {
  const can = useCan()
  const [search, setSearch] = useSearchParams()
  const allowed = (Object.keys(parts) as K[]).filter((part) => can(parts[part].need))
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
          label: labels[part],
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
