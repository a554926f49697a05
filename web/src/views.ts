/** Entry of the second script of the page: what opens behind folds, names and buttons. */

import { Board } from "./board"
import { fillCosts } from "./costview"
import { categoryLinks, categoryMeans } from "./explore/categories"
import { recompute } from "./explore/recompute"
import { criticalValue, upperTail } from "./explore/tails"
import { fillExplore } from "./exploreview"
import { modelView } from "./modelview"
import { partRanks } from "./partranks"
import { fillPictures } from "./picturesview"
import { fragment, saveShown } from "./sharecard"
import { sideBySide } from "./sidebyside"
import { taskView } from "./taskview"

const views = { fillCosts, fillExplore, fillPictures, fragment, modelView, partRanks, saveShown, sideBySide, taskView }

export type Views = typeof views

Object.assign(globalThis, { rankbarsViews: views })

// Outside of a browser the same bundle is compared with the package, number by number.
if (typeof document === "undefined") {
  Object.assign(globalThis, { rankbarsReport: { Board, categoryLinks, categoryMeans, recompute, criticalValue, upperTail } })
}
