import { words as menuKindWords } from '@/api/words/MenuKind'
import { words as menuWords } from '@/api/words/MenuView'
import { defineChoices } from '@/kit/choices'

/** What an entry is; it follows from its place. */
export const menuKind = defineChoices(menuKindWords)

/** Whether the sidebar draws it. */
export const menuVisibility = defineChoices({
  shown: { value: true, label: menuWords.visible, tone: 'good' },
  hidden: { value: false, label: ['隐藏', 'Hidden'], tone: 'muted' },
})

/** Who made it. */
export const menuOrigin = defineChoices({
  builtin: { value: true, label: menuWords.builtin },
  custom: { value: false, label: ['自定义', 'Custom'] },
})
