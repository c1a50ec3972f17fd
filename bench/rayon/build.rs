// Links the kernels that all contenders share; SKUA_BENCH_KERNELS is the folder of libbench_kernels.a.
fn main() {
    println!("cargo:rerun-if-env-changed=SKUA_BENCH_KERNELS");
    let folder = std::env::var("SKUA_BENCH_KERNELS").expect("SKUA_BENCH_KERNELS names the folder of libbench_kernels.a");
    println!("cargo:rerun-if-changed={folder}/libbench_kernels.a");
    println!("cargo:rustc-link-search=native={folder}");
    println!("cargo:rustc-link-lib=static=bench_kernels");
    println!("cargo:rustc-link-lib=dylib=stdc++");
}
