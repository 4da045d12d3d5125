import type { ReactNode } from 'react'
import type { RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { sorts } from '@/api/words/ClientErrorView'
import { useMessages } from '@/i18n/messages'
import { danger } from '@/kit/action'
import { columnsOf } from '@/kit/list/columns'
import { defineFilter, textParam, timeParam } from '@/kit/list/filter'
import { TextFilter, TimeRangeFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { TimeText } from '@/kit/time-text'
import { Drawer } from '@/ui/drawer'
import { FactList } from '@/ui/facts'
import { messages } from '../log-messages'

type ReportedError = RowOf<'clientErrorList'>

const filter = defineFilter({ keyWord: textParam(), startTime: timeParam(), endTime: timeParam() }, sorts)

const c = columnsOf<ReportedError>()

const columns = [
  c.time('createTime', { pin: 'start' }),
  c.text('username', { importance: 3 }),
  c.detail('message', { importance: 4 }),
  c.code('component', { importance: 2 }),
  c.code('address', { importance: 1 }),
  c.text('browser', { spare: true }),
]

/** What the browsers of all operators reported: the last two hundred errors. */
export default function ReportedErrors({ children }: { children: ReactNode }) {
  const m = useMessages(messages)
  const list = useList('clientErrorList', filter)
  const clear = useApiMutation('clientErrorClear', { refresh: ['clientErrorList'] })
  return (
    <ListPage
      messages={messages}
      list={list}
      columns={columns}
      exports={{ operation: 'clientErrorExport', need: 'errorLog:export' }}
      nameOf={({ message }) => message}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={m.search} />
          <TimeRangeFilter name="createTime" />
        </>
      }
      pageActions={[
        danger(m.clear, {
          need: 'errorLog:clear',
          // The filter does not matter: all of them go.
          confirm: m.clearQuestionAll,
          done: m.cleared,
          run: () => clear.mutateAsync({}),
        }),
      ]}
      detail={(id, close) => {
        const error = list.rows.find((row) => String(row.id) === id)
        return error && <ErrorDrawer error={error} onClose={close} />
      }}
    >
      <div className="error-scope">{children}</div>
    </ListPage>
  )
}

/** One error with its stack. */
function ErrorDrawer({ error, onClose }: { error: ReportedError; onClose: () => void }) {
  const m = useMessages(messages)
  const { createTime, username, message, component, address, browser, stack } = error
  const mono = (text: string) => <span className="sky-mono">{text}</span>
  return (
    <Drawer open size={760} title={m.detail} onClose={onClose}>
      <FactList
        facts={[
          { key: 'createTime', label: m.fields.createTime, value: <TimeText at={createTime} /> },
          { key: 'username', label: m.fields.username, value: username },
          { key: 'message', label: m.fields.message, value: message, wide: true },
          { key: 'component', label: m.fields.component, value: mono(component), wide: true },
          { key: 'address', label: m.fields.address, value: mono(address), wide: true },
          { key: 'browser', label: m.fields.browser, value: browser, wide: true },
        ]}
      />
      <h3>{m.fields.stack}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the only way to scroll it with the keyboard */}
      <pre className="error-stack" tabIndex={0}>
        {stack || '—'}
      </pre>
    </Drawer>
  )
}
