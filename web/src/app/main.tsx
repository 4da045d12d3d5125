import { createRoot } from 'react-dom/client'
import { currentTheme } from '@/access/theme'
import { applyTokens } from '@/ui/tokens'

applyTokens(currentTheme())
const root = document.getElementById('root')
if (root) createRoot(root).render(<p>Skyrack</p>)
