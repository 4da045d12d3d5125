import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router'
import { currentTheme, onTheme } from '@/access/theme'
// All styles are one file, in this order: the library's, which ours overrule, ours for everybody, and those of screens.
import 'virtual:antd-styles.css'
import '@/ui/ui.css'
import './app.css'
import '@/ui/logo.css'
import '@/ui/dialog.css'
import './shell/shell.css'
import '@/kit/kit.css'
import '@/ui/page.css'
import { componentOf, listenForErrors, reportUncaught } from './global-errors'
import { router } from './router'
import { wireSession } from './session-wiring'

const showTheme = (theme: string) => {
  document.documentElement.dataset.theme = theme
}
showTheme(currentTheme())
onTheme(showTheme)
listenForErrors()
wireSession()

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
createRoot(root, {
  onUncaughtError: (error, info) => reportUncaught(error, componentOf(info.componentStack)),
  // A page's boundary has shown the error in place; it still belongs in the log and in a toast.
  onCaughtError: (error, info) => reportUncaught(error, componentOf(info.componentStack)),
}).render(<RouterProvider router={router} />)
