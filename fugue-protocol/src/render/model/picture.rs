//! A screenshot for a model.

use super::{ForModel, ModelContent, TextBudget};
use crate::verbs::Format;
use crate::views::Picture;

/// The size limit of an image. It costs a model by its area, not its bytes, but clients reject very large ones.
const MAX_IMAGE: usize = 1 << 20;

/// A picture is shown whole or not at all.
impl ForModel for Picture {
    const AS_TEXT: bool = true;

    fn for_model(&self, _: TextBudget) -> Option<ModelContent> {
        let (bytes, pane) = (self.content.len(), self.pane_id.short());
        if self.format == Format::Png && bytes <= MAX_IMAGE {
            return Some(ModelContent::Png(self.content.clone()));
        }
        if TextBudget::MAX.allows(bytes) {
            return Some(ModelContent::Text(self.content.clone()));
        }
        Some(ModelContent::Error(format!(
            "The picture is too large to show: {bytes} bytes\n\
             hint: use format \"text\", or save it to a file in a shell: fugue screenshot -t {pane} > picture.svg"
        )))
    }
}
