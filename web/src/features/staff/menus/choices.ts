import { defineChoices } from '@/kit/choices'

/** What an entry is; it follows from its place. */
export const menuKind = defineChoices({
  section: { value: 1, label: ['分组', 'Section'] },
  screen: { value: 2, label: ['页面', 'Screen'] },
  button: { value: 3, label: ['按钮', 'Button'] },
})

/** Whether the sidebar draws it. */
export const menuVisibility = defineChoices({
  shown: { value: true, label: ['显示', 'Shown'], tone: 'good' },
  hidden: { value: false, label: ['隐藏', 'Hidden'], tone: 'muted' },
})

/** Who made it. */
export const menuOrigin = defineChoices({
  builtin: { value: true, label: ['内置', 'Built-in'] },
  custom: { value: false, label: ['自定义', 'Custom'] },
})
