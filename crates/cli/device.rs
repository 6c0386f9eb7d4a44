//! Where networks are trained and, in self-play, evaluated.

use anyhow::{Result, bail};
use burn::tensor::Device;
use clap::{Args, ValueEnum};

use crate::numbers;

/// What a command may use of the machine.
#[derive(Args, Clone, Debug)]
pub struct Hardware {
    /// Threads, 1 to 512 [default: all cores]
    #[arg(long, value_name = "N", value_parser = numbers::threads())]
    pub threads: Option<usize>,
    /// Where networks compute; a GPU needs a build with its feature: `cargo build --release --features wgpu`
    #[arg(long, value_enum, default_value_t = DeviceName::Cpu)]
    pub device: DeviceName,
}

/// The devices by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DeviceName {
    /// The kernels of this program, on every core
    Cpu,
    /// Any GPU with Vulkan, Metal or DirectX 12
    Wgpu,
    /// An NVIDIA GPU
    Cuda,
}

/// Where networks compute.
#[derive(Clone, Debug)]
pub enum Compute {
    /// Compiled networks for games, burn's CPU device for training.
    Cpu,
    /// One of burn's GPU devices for both.
    #[cfg_attr(
        not(any(feature = "wgpu", feature = "cuda")),
        expect(dead_code, reason = "builds without a GPU never make one")
    )]
    Gpu(Device),
}

impl Compute {
    /// Finds a device; the error says how to build the program for it.
    pub fn find(name: DeviceName) -> Result<Compute> {
        match name {
            DeviceName::Cpu => Ok(Compute::Cpu),
            DeviceName::Wgpu => wgpu(),
            DeviceName::Cuda => cuda(),
        }
    }

    /// burn's device for training.
    pub fn training(&self) -> Device {
        match self {
            Compute::Cpu => Device::flex(),
            Compute::Gpu(device) => device.clone(),
        }
    }
}

#[cfg(feature = "wgpu")]
fn wgpu() -> Result<Compute> {
    use crate::progress::say;
    use anyhow::Context;

    // Burn starts a device once; a command may open several runs.
    static STARTED: std::sync::Mutex<Option<Device>> = std::sync::Mutex::new(None);
    let mut started = STARTED
        .lock()
        .expect("nothing panics while it holds the lock");
    if let Some(device) = &*started {
        return Ok(Compute::Gpu(device.clone()));
    }
    let (device, setup) = Device::wgpu_options()
        .init_with_setup()
        .context("--device wgpu: this machine has no adapter that can be used")?;
    let adapter = setup.adapter.get_info();
    say(&format!(
        "computing on {} ({}, {:?})",
        adapter.name, adapter.backend, adapter.device_type
    ));
    *started = Some(device.clone());
    Ok(Compute::Gpu(device))
}

#[cfg(not(feature = "wgpu"))]
fn wgpu() -> Result<Compute> {
    bail!("--device wgpu: this program was built without it; build with --features wgpu")
}

#[cfg(feature = "cuda")]
fn cuda() -> Result<Compute> {
    Ok(Compute::Gpu(Device::cuda(0)))
}

#[cfg(not(feature = "cuda"))]
fn cuda() -> Result<Compute> {
    bail!("--device cuda: this program was built without it; build with --features cuda")
}
