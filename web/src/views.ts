/** Entry of the second script of the page: what opens behind folds, names and buttons. */

import { fillCosts } from "./costview"
import { fillExplore } from "./exploreview"
import { modelView } from "./modelview"
import { fillPictures } from "./picturesview"
import { fragment, saveShown } from "./sharecard"
import { sideBySide } from "./sidebyside"
import { taskView } from "./taskview"

const views = { fillCosts, fillExplore, fillPictures, fragment, modelView, saveShown, sideBySide, taskView }

export type Views = typeof views

Object.assign(globalThis, { rankbarsViews: views })
