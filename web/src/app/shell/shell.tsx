import { QueryClientProvider } from '@tanstack/react-query'
import dayjs from 'dayjs'
import 'dayjs/locale/zh-cn'
import { lazy, Suspense, useRef, useState } from 'react'
import { useSidebarOpen } from '@/access/sidebar-state'
import { useTheme } from '@/access/theme'
import { queryClient } from '@/api/query'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { UiProvider } from '@/ui/provider'
import { prepare } from '../first-load/prepare'
import { messages } from '../messages'
import { OutageNote } from './outage-note'
import { Pages } from './pages'
import { PasswordChange } from './password-change'
import { type QuickBegin, QuickSearch, useQuickSearchKey } from './quick-search'
import './shell.css'
import { Sidebar } from './sidebar'
import { StepUp } from './step-up'
import { TabsBar } from './tabs-bar'
import { TopBar } from './top-bar'
import { Underway } from './underway'

const QuickAct = lazy(() => import('@/features/device/quick-act'))

// The guard in front of every page needs the frame first, and the frame brings these.
export { isNewView, loadCode, readFirst } from '../first-load/prepare'

/** The frame around every page: sidebar, top bar, tabs, and the pages themselves. */
export default function Shell() {
  const m = useMessages(messages)
  const language = useLanguage()
  const theme = useTheme()
  const open = useSidebarOpen()
  const [searching, setSearching] = useState(false)
  const [begun, setBegun] = useState<QuickBegin & { turn: number }>()
  // The same act on the same thing may be begun again after its question was closed.
  const begin = (next: QuickBegin) => setBegun((now) => ({ ...next, turn: (now?.turn ?? 0) + 1 }))
  const main = useRef<HTMLElement>(null)
  useQuickSearchKey(() => setSearching(true))
  // One global locale in dayjs; set before any child formats a date.
  dayjs.locale(language === 'zh' ? 'zh-cn' : 'en')

  return (
    <QueryClientProvider client={queryClient}>
      <UiProvider language={language} dark={theme === 'dark'}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: it listens on behalf of the links inside, drawers included */}
        <div
          className="shell"
          data-sidebar={open ? 'open' : 'closed'}
          onPointerOver={prepare}
          onPointerDown={prepare}
          onKeyUp={prepare}
        >
          <Underway />
          <button type="button" className="skip-link" onClick={() => main.current?.focus()}>
            {m.skip}
          </button>
          <Sidebar />
          <div className="shell-column">
            <TopBar onSearch={() => setSearching(true)} />
            <TabsBar />
            <main ref={main} className="shell-main" tabIndex={-1}>
              <Pages />
            </main>
          </div>
          {searching && <QuickSearch onClose={() => setSearching(false)} onBegin={begin} />}
          {begun && (
            <Suspense>
              <QuickAct {...begun} key={begun.turn} onClose={() => setBegun(undefined)} />
            </Suspense>
          )}
          <PasswordChange />
          <OutageNote />
          <StepUp />
        </div>
      </UiProvider>
    </QueryClientProvider>
  )
}
