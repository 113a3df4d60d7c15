//! Verbs about paste buffers.

use fugue_protocol::verbs::{GetBuffer, ListPasteBuffers, RemoveBuffer, RenameBuffer, StoreBuffer};
use fugue_protocol::views::{BufferName, PasteBuffer, PasteBufferList};
use fugue_protocol::{Event, Refusal};

use super::Perform;
use crate::buffers::check_name;
use crate::decision::Decision;
use crate::request_context::RequestContext;
use crate::world::World;

impl Perform for StoreBuffer {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<BufferName>, Refusal> {
        let (events, name) =
            world.buffers.set(self.name, self.content, context.now, world.next_numbers.upcoming_buffer())?;
        Ok(Decision::reply(BufferName { name: Some(name) }).events(events))
    }
}

impl Perform for GetBuffer {
    fn perform(self, world: &World, _: &RequestContext) -> Result<Decision<PasteBuffer>, Refusal> {
        let found = world.buffers.find(self.name.as_deref());
        let found = found.or_else(|| world.buffers.nth(self.nth?));
        Ok(Decision::reply(PasteBuffer {
            name: found.map(|buffer| buffer.name.clone()).or(self.name),
            content: found.map(|buffer| buffer.content.clone()),
        }))
    }
}

impl Perform for ListPasteBuffers {
    fn perform(self, world: &World, _: &RequestContext) -> Result<Decision<PasteBufferList>, Refusal> {
        Ok(Decision::reply(world.buffers.list()))
    }
}

impl Perform for RenameBuffer {
    fn perform(self, world: &World, _: &RequestContext) -> Result<Decision<BufferName>, Refusal> {
        check_name(&self.new_name)?;
        let Some(buffer) = world.buffers.find(self.name.as_deref()) else {
            return Ok(Decision::reply(BufferName { name: None }));
        };
        let renamed = Event::BufferRenamed { name: buffer.name.clone(), new_name: self.new_name.clone() };
        Ok(Decision::reply(BufferName { name: Some(self.new_name) }).event(renamed))
    }
}

impl Perform for RemoveBuffer {
    fn perform(self, world: &World, _: &RequestContext) -> Result<Decision<BufferName>, Refusal> {
        let name = world.buffers.find(self.name.as_deref()).map(|buffer| buffer.name.clone());
        let removed = name.clone().map(|name| Event::BufferRemoved { name });
        Ok(Decision::reply(BufferName { name }).events(removed))
    }
}
