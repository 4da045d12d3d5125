import { words as menuWords } from '@/api/words/MenuView'
import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  empty: ['没有菜单', 'No menu entries'],
  emptyHint: ['内置菜单会在服务启动时出现', 'The built-in entries appear when the server starts'],
  search: ['搜索名称、路径、权限码', 'Search name, path or code'],
  fields: {
    ...menuWords,
    name: menuWords.title,
    parentId: ['上级', 'Parent'],
    fullPath: ['地址', 'Address'],
    icon: ['图标', 'Icon'],
    // The screen says shown or hidden, not yes or no.
    visible: ['侧边栏', 'In sidebar'],
    // The screen says who made it, not yes or no.
    builtin: ['来源', 'Origin'],
  },
  expand: (name: string) => [`展开 ${name}`, `Expand ${name}`],
  collapse: (name: string) => [`收起 ${name}`, `Collapse ${name}`],
  expandAll: ['全部展开', 'Expand all'],
  collapseAll: ['全部收起', 'Collapse all'],
  noPage: ['无页面', 'No page'],
  noPageHint: [
    '此地址没有对应的页面，侧边栏不会显示它',
    'There is no page at this address, so the sidebar does not show it',
  ],
  addSection: ['新建分组', 'New section'],
  addScreen: ['新建页面', 'New page'],
  addButton: ['新建按钮', 'New button'],
  edit: ['编辑', 'Edit'],
  editTitle: (name: string) => [`编辑 ${name}`, `Edit ${name}`],
  up: ['上移', 'Move up'],
  down: ['下移', 'Move down'],
  isFirst: ['已经是第一个', 'Already the first'],
  isLast: ['已经是最后一个', 'Already the last'],
  show: ['显示', 'Show'],
  hide: ['隐藏', 'Hide'],
  hideQuestion: [
    '隐藏后侧边栏不再显示它；页面和权限仍然有效，可以通过地址打开',
    'The sidebar no longer shows it. Its page and permissions stay valid, and its address still opens it',
  ],
  remove: ['删除', 'Delete'],
  removeQuestion: [
    '删除后各权限组也不再拥有它，且无法恢复',
    'Permission groups lose it too, and this cannot be undone',
  ],
  isBuiltin: ['内置菜单不能删除，可以隐藏', 'A built-in entry cannot be deleted; hide it instead'],
  hasChildren: ['请先删除它下面的条目', 'Delete the entries below it first'],
  builtinHint: [
    '内置菜单的路径和权限码是固定的；可以改名、移动、换图标和隐藏',
    'The path and code of a built-in entry are fixed. You can rename, move or hide it, and change its icon',
  ],
  nameHint: [
    '名称不变时随界面语言切换；改名后两种语言都显示新名称',
    'An unchanged name follows the interface language; a new name is shown in both languages',
  ],
  assignHint: [
    '新条目只有超级管理员组拥有，其他权限组请在“权限组”里分配',
    'Only the built-in group gets a new entry. Assign it to other groups under Permission groups',
  ],
  pathHint: (above: string) => [`接在 ${above} 之后，组成完整地址`, `Appended to ${above} to form the full address`],
  sectionPathHint: [
    '例如 /operations，其下页面的地址以它开头',
    'For example /operations; the addresses of its pages begin with it',
  ],
  codeHint: ['留空则自动生成', 'Generated if left empty'],
  buttonCodeHint: ['例如 report:export，判断权限时用它', 'For example report:export; used to check permissions'],
  sortHint: ['小的在前；留空则排在最后', 'Lower numbers come first; leave empty to put it last'],
})
