import type { CallParts, OperationId } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { Drawer } from '@/ui/drawer'
import { Placeholder } from '@/ui/placeholder'
import { useLabels } from '../labels'
import { Loaded, type Loading } from '../loaded'
import { kitMessages } from '../messages'
import { TimeText } from '../time-text'
import { settingsMessages } from './settings-messages'
import type { SettingsName } from './settings-page'

interface Version {
  version: number
  document: Record<string, unknown>
  at: string
  by: string
}

const versionsShown = 50

/** Who changed what and when, newest first. */
export function SettingsHistory({ document, onClose }: { document: SettingsName; onClose: () => void }) {
  const m = useMessages(settingsMessages)
  const parts = { query: { pageNum: 1, pageSize: versionsShown } } as unknown as CallParts<OperationId>
  const query = useApiQuery(`${document}History` as OperationId, parts)
  return (
    <Drawer open size={480} title={m.history} onClose={onClose}>
      <Loaded query={query as Loading<{ list: Version[] }>}>
        {({ list }) => (
          <ol className="kit-versions">
            {list.length === 0 && <Placeholder title={m.historyEmpty} />}
            {list.map((version, at) => (
              <li key={version.version}>
                <div className="kit-version-head">
                  <strong>{m.version(version.version)}</strong>
                  <span className="sky-soft">
                    {version.by} · <TimeText at={version.at} />
                  </span>
                </div>
                <Changes now={version.document} before={list[at + 1]?.document} />
              </li>
            ))}
          </ol>
        )}
      </Loaded>
    </Drawer>
  )
}

/** What one version changed, against the one before. */
function Changes({ now, before }: { now: Version['document']; before: Version['document'] | undefined }) {
  const m = useMessages(settingsMessages)
  const labels = useLabels()
  const show = useValueText()
  if (!before) return <div className="sky-soft">{m.first}</div>
  const changed = Object.keys(now).filter((key) => JSON.stringify(now[key]) !== JSON.stringify(before[key]))
  if (changed.length === 0) return <div className="sky-soft">{m.unchanged}</div>
  return (
    <ul>
      {changed.map((key) => (
        <li key={key}>
          {labels[key] ?? key}: <del>{show(before[key])}</del> → <ins>{show(now[key])}</ins>
        </li>
      ))}
    </ul>
  )
}

function useValueText() {
  const k = useMessages(kitMessages)
  return (value: unknown): string => {
    if (typeof value === 'boolean') return value ? k.yes : k.no
    if (value === null || value === undefined || value === '') return k.empty
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  }
}
