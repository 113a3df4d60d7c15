{
  description = "A terminal multiplexer for coding agents";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      forEach = nixpkgs.lib.genAttrs [
        "x86_64-linux"
        "aarch64-linux"
      ];
    in
    {
      packages = forEach (
        system:
        let
          pkgs = nixpkgs.legacyPackages.${system};
        in
        {
          default = pkgs.rustPlatform.buildRustPackage {
            pname = "fugue";
            version = "0.2.0";
            src = ../..;
            cargoLock.lockFile = ../../Cargo.lock;
            cargoBuildFlags = [
              "--package=fugue"
              "--package=fugue-fleet"
            ];
            # The suite starts daemons, terminals and namespaces; `./test` runs it.
            doCheck = false;
            nativeBuildInputs = [ pkgs.installShellFiles ];
            postInstall = ''
              $out/bin/fugue man man
              installManPage man/*.1
              installShellCompletion --cmd fugue \
                --bash <($out/bin/fugue completions bash) \
                --zsh <($out/bin/fugue completions zsh) \
                --fish <($out/bin/fugue completions fish)
            '';
            meta = {
              description = "Terminal multiplexer for coding agents";
              license = with pkgs.lib.licenses; [
                mit
                asl20
              ];
              mainProgram = "fugue";
              platforms = pkgs.lib.platforms.linux;
            };
          };
        }
      );
    };
}
