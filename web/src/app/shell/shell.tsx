import { QueryClientProvider } from '@tanstack/react-query'
import dayjs from 'dayjs'
import 'dayjs/locale/zh-cn'
import { useRef, useState } from 'react'
import { useSidebarOpen } from '@/access/sidebar-state'
import { useTheme } from '@/access/theme'
import { queryClient } from '@/api/query'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { UiProvider } from '@/ui/provider'
import { messages } from '../messages'
import { Pages } from './pages'
import { PasswordChange } from './password-change'
import { QuickSearch, useQuickSearchKey } from './quick-search'
import './shell.css'
import { Sidebar } from './sidebar'
import { TabsBar } from './tabs-bar'
import { TopBar } from './top-bar'

/** The frame around every page: sidebar, top bar, tabs, and the pages themselves. */
export default function Shell() {
  const m = useMessages(messages)
  const language = useLanguage()
  const theme = useTheme()
  const open = useSidebarOpen()
  const [searching, setSearching] = useState(false)
  const main = useRef<HTMLElement>(null)
  useQuickSearchKey(() => setSearching(true))
  // One global locale in dayjs; set before any child formats a date.
  dayjs.locale(language === 'zh' ? 'zh-cn' : 'en')

  return (
    <QueryClientProvider client={queryClient}>
      <UiProvider language={language} dark={theme === 'dark'}>
        <div className="shell" data-sidebar={open ? 'open' : 'closed'}>
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
          {searching && <QuickSearch onClose={() => setSearching(false)} />}
          <PasswordChange />
        </div>
      </UiProvider>
    </QueryClientProvider>
  )
}
